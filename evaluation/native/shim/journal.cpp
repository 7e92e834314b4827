#include "journal.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "ending.h"

namespace ptxboard {
namespace {

constexpr std::size_t buffer_bytes = 64 << 10;
constexpr std::uint64_t last_line_bytes = 64 << 10;  // kept free for `refused` or `crash`
constexpr std::uint32_t last_lines = 4;

char buffer[buffer_bytes];
std::size_t used = 0;
std::uint64_t written = 0;
std::uint32_t lines = 0;
bool line_is_open = false;
bool line_began_in_buffer = false;
bool limits_are_off = false;

void flush() {
  std::size_t done = 0;
  while (done < used) {
    ssize_t const count = write(journal_descriptor, buffer + done, used - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) leave(exit_crashed);  // the author closed the descriptor, or nobody reads any more
    done += static_cast<std::size_t>(count);
  }
  used = 0;
  line_began_in_buffer = false;
}

void put(const char* bytes, std::size_t size) {
  written += size;
  while (size > 0) {
    if (used == buffer_bytes) flush();
    std::size_t const part = size < buffer_bytes - used ? size : buffer_bytes - used;
    std::memcpy(buffer + used, bytes, part);
    used += part;
    bytes += part;
    size -= part;
  }
}

void put(char one) { put(&one, 1); }

void put(const char* terminated) { put(terminated, std::strlen(terminated)); }

void put_number(std::uint64_t value) {
  char digits[20];
  std::size_t count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (count > 0) put(digits[--count]);
}

// The length of the UTF-8 character at `bytes`, or 0 where there is none.
std::size_t character_bytes(const unsigned char* bytes, std::size_t left) {
  unsigned const lead = bytes[0];
  if (lead < 0x80) return 1;
  std::size_t const size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || size > left) return 0;
  for (std::size_t i = 1; i < size; i++) {
    if ((bytes[i] & 0xC0) != 0x80) return 0;
  }
  if (lead == 0xE0 && bytes[1] < 0xA0) return 0;  // too long a form
  if (lead == 0xED && bytes[1] > 0x9F) return 0;  // surrogates
  if (lead == 0xF0 && bytes[1] < 0x90) return 0;
  if (lead == 0xF4 && bytes[1] > 0x8F) return 0;  // beyond U+10FFFF
  return size;
}

void put_text(Text value, std::size_t limit_characters) {
  static const char digits[] = "0123456789abcdef";
  auto const* bytes = reinterpret_cast<const unsigned char*>(value.data);
  put('"');
  for (std::size_t at = 0, count = 0; at < value.size && count < limit_characters; count++) {
    std::size_t const size = character_bytes(bytes + at, value.size - at);
    if (size == 0) {
      put("\\ufffd");
      at++;
      continue;
    }
    if (bytes[at] < 0x20 || bytes[at] == 0x7F) {
      put("\\u00");
      put(digits[bytes[at] >> 4]);
      put(digits[bytes[at] & 15]);
    } else {
      if (bytes[at] == '"' || bytes[at] == '\\') put('\\');
      put(value.data + at, size);
    }
    at += size;
  }
  put('"');
}

}  // namespace

bool journal_has_room(std::uint64_t bytes) {
  return lines + last_lines < journal_limit_lines && written + bytes + last_line_bytes < journal_limit_bytes;
}

void journal_need(std::uint64_t bytes) {
  if (limits_are_off || journal_has_room(bytes)) return;
  refuse("recording", "recording too large: at most %u lines and %u MiB", journal_limit_lines,
         static_cast<unsigned>(journal_limit_bytes >> 20));
}

void journal_make_way() {
  limits_are_off = true;
  if (!line_is_open) return;
  if (line_began_in_buffer) {
    used = 0;  // every line is flushed at its end, so the buffer holds nothing but the broken one
  } else {
    put('\n');
  }
  line_is_open = false;
}

void remark(const char* kind, const char* detail) {
  constexpr std::uint32_t most = 64;
  static std::uint64_t seen[most];
  static std::uint32_t count = 0;
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char* part : {kind, " ", detail}) {
    for (; *part != 0; part++) hash = (hash ^ static_cast<unsigned char>(*part)) * 0x100000001B3;
  }
  for (std::uint32_t i = 0; i < count; i++) {
    if (seen[i] == hash) return;
  }
  if (count == most) return;
  seen[count++] = hash;
  Line("remark").text("kind", kind).text("detail", detail);
}

Line::Line(const char* event) {
  journal_need(last_line_bytes);
  line_is_open = true;
  line_began_in_buffer = true;
  put('{');
  text("e", event);
}

Line::~Line() {
  put("}\n");
  flush();
  lines++;
  line_is_open = false;
}

void Line::separate() {
  if (!first_) put(',');
  first_ = false;
}

void Line::key(const char* name) {
  separate();
  put('"');
  put(name);
  put("\":");
}

Line& Line::number(const char* name, std::uint64_t value) {
  key(name);
  put_number(value);
  return *this;
}

Line& Line::integer(const char* name, std::int64_t value) {
  key(name);
  first_ = true;
  item(value);
  return *this;
}

Line& Line::flag(const char* name, bool value) {
  key(name);
  put(value ? "true" : "false");
  return *this;
}

Line& Line::text(const char* name, const char* terminated, std::size_t limit_characters) {
  return text(name, text_of(terminated), limit_characters);
}

Line& Line::text(const char* name, Text value, std::size_t limit_characters) {
  key(name);
  put_text(value, limit_characters);
  return *this;
}

Line& Line::hex(const char* name, const void* bytes, std::size_t size) {
  return hex_open(name).hex_more(bytes, size).hex_close();
}

Line& Line::hex_open(const char* name) {
  key(name);
  put('"');
  return *this;
}

Line& Line::hex_more(const void* bytes, std::size_t size) {
  static const char digits[] = "0123456789abcdef";
  auto const* from = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; i++) {
    char const pair[2] = {digits[from[i] >> 4], digits[from[i] & 15]};
    put(pair, 2);
  }
  return *this;
}

Line& Line::hex_close() {
  put('"');
  return *this;
}

Line& Line::list_open(const char* name) {
  key(name);
  put('[');
  first_ = true;
  return *this;
}

Line& Line::list_close() {
  put(']');
  first_ = false;
  return *this;
}

Line& Line::object_open() {
  separate();
  put('{');
  first_ = true;
  return *this;
}

Line& Line::object_close() {
  put('}');
  first_ = false;
  return *this;
}

Line& Line::item(std::int64_t value) {
  separate();
  if (value < 0) put('-');
  put_number(value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value));
  return *this;
}

Line& Line::item(std::uint64_t value) {
  separate();
  put_number(value);
  return *this;
}

Line& Line::item(Text value) {
  separate();
  put_text(value, 4096);
  return *this;
}

}  // namespace ptxboard
