// The recording: one JSON object a line to descriptor 10, in the format of docs/recording.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "arena.h"

namespace ptxboard {

constexpr int journal_descriptor = 10;
constexpr std::uint64_t journal_limit_bytes = std::uint64_t{64} << 20;
constexpr std::uint32_t journal_limit_lines = 20000;

// Builds one line; it is written when the object goes. Keys are ours, values may be the author's.
// Only one line is under way at a time, and nothing in between reads memory that could fault.
class Line {
 public:
  explicit Line(const char* event);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& number(const char* key, std::uint64_t value);
  Line& integer(const char* key, std::int64_t value);
  Line& flag(const char* key, bool value);
  Line& text(const char* key, const char* terminated, std::size_t limit_characters = 400);
  Line& text(const char* key, Text value, std::size_t limit_characters = 4096);
  Line& hex(const char* key, const void* bytes, std::size_t size);
  // Hex in pieces: rows of a payload that do not lie together.
  Line& hex_open(const char* key);
  Line& hex_more(const void* bytes, std::size_t size);
  Line& hex_close();
  template <typename Number>
  Line& numbers(const char* key, const Number* values, std::size_t count) {
    list_open(key);
    for (std::size_t i = 0; i < count; i++) {
      if constexpr (std::is_signed_v<Number>) {
        item(std::int64_t{values[i]});
      } else {
        item(std::uint64_t{values[i]});
      }
    }
    return list_close();
  }
  Line& list_open(const char* key);
  Line& list_close();
  Line& object_open();
  Line& object_close();
  Line& item(std::int64_t value);
  Line& item(std::uint64_t value);
  Line& item(Text value);

 private:
  void key(const char* name);
  void separate();
  bool first_ = true;
};

// True when `bytes` more fit into the recording with room left for its last line.
bool journal_has_room(std::uint64_t bytes);

// Ends the recording as too large if a line of at most `bytes` does not fit.
void journal_need(std::uint64_t bytes);

// Makes ready for one more line whatever the limits say, also from a signal handler in the middle of another one.
void journal_make_way();

// One `remark` of a kind and detail; the same one again says nothing new and is left out.
void remark(const char* kind, const char* detail);

}  // namespace ptxboard
