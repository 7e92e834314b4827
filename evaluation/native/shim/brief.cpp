#include "brief.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "ending.h"

namespace ptxboard {
namespace {

constexpr std::size_t brief_limit_bytes = std::size_t{24} << 20;

// Words of one line, taken from the front.
class Words {
 public:
  Words(const char* data, std::size_t size) : at_(data), end_(data + size) {}

  bool done() const { return at_ == end_; }

  Text word() {
    if (done()) fail("a line of the brief is too short");
    auto const* space = static_cast<const char*>(std::memchr(at_, ' ', static_cast<std::size_t>(end_ - at_)));
    const char* const stop = space != nullptr ? space : end_;
    Text const found{at_, static_cast<std::size_t>(stop - at_)};
    at_ = space != nullptr ? space + 1 : end_;
    if (found.size == 0) fail("a word of the brief is empty");
    return found;
  }

  std::uint64_t number(std::uint64_t limit) {
    std::uint64_t value = 0;
    Text const digits = word();
    for (std::size_t i = 0; i < digits.size; i++) {
      unsigned const digit = static_cast<unsigned char>(digits.data[i]) - unsigned{'0'};
      if (digit > 9 || __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value)) {
        fail("a number of the brief is not one");
      }
    }
    if (value > limit) fail("a number of the brief is too large");
    return value;
  }

  std::uint32_t small() { return static_cast<std::uint32_t>(number(UINT32_MAX)); }

  std::int64_t integer() {
    bool const negative = !done() && *at_ == '-';
    if (negative) at_++;
    std::uint64_t const value = number(negative ? std::uint64_t{1} << 63 : INT64_MAX);
    return static_cast<std::int64_t>(negative ? ~value + 1 : value);
  }

  // Eight or fewer bytes, or a name, in hex; "-" is the empty text.
  Text hex() {
    Text const digits = word();
    if (digits.size == 1 && digits.data[0] == '-') return {};
    if (digits.size % 2 != 0) fail("a hex word of the brief is odd");
    char* const room = static_cast<char*>(arena_room(digits.size / 2 + 1));
    for (std::size_t i = 0; i < digits.size; i++) {
      char const digit = digits.data[i];
      int const value = digit >= '0' && digit <= '9' ? digit - '0' : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
      if (value < 0) fail("a hex word of the brief is not hex");
      room[i / 2] = static_cast<char>(room[i / 2] * 16 + value);
    }
    return {room, digits.size / 2};
  }

 private:
  const char* at_;
  const char* end_;
};

template <typename Item>
Item& more(List<Item>& list) {
  Item* const added = list.add();
  if (added == nullptr) fail("the brief announces fewer items than it has");
  return *added = Item{};
}

void read_kernel(Words& words, Brief* brief) {
  KernelFacts& one = more(brief->kernels);
  one.name = words.hex();
  one.parameter_bytes = words.small();
  one.registers = words.small();
  one.static_shared = words.small();
  one.local = words.small();
  one.max_threads = words.small();
  one.barriers = words.small();
  for (std::uint32_t& size : one.cluster) size = words.small();
  for (std::uint32_t& size : one.block) size = words.small();
  std::uint32_t const count = words.small();
  one.parameters.reserve(count);
  for (std::uint32_t i = 0; i < count; i++) {
    Parameter& parameter = more(one.parameters);
    parameter.offset = words.small();
    parameter.size = words.small();
    if (std::uint64_t{parameter.offset} + parameter.size > one.parameter_bytes) fail("a kernel parameter lies outside");
  }
}

void read_tensor(Words& words, Brief* brief) {
  Argument& one = more(brief->arguments);
  one.kind = Argument::Kind::tensor;
  one.type_code = static_cast<std::uint8_t>(words.number(255));
  one.type_bits = static_cast<std::uint8_t>(words.number(64));
  one.rank = static_cast<std::uint32_t>(words.number(Argument::rank_limit));
  for (std::uint32_t i = 0; i < one.rank; i++) one.shape[i] = static_cast<std::int64_t>(words.number(INT64_MAX));
}

void read_line(Text kind, Words& words, Brief* brief) {
  auto is = [kind](const char* word) { return kind == text_of(word); };
  DeviceTable& device = brief->device;
  if (is("seed")) {
    brief->seed = words.number(UINT64_MAX);
  } else if (is("process")) {
    brief->process = static_cast<std::uint32_t>(words.number(1));
  } else if (is("calls")) {
    brief->calls = words.small();
  } else if (is("fill")) {
    brief->fill = static_cast<std::uint32_t>(words.number(255));
  } else if (is("sm")) {
    brief->sm = words.small();
  } else if (is("lists")) {
    brief->kernels.reserve(words.small());
    brief->symbols.reserve(words.small());
    brief->arguments.reserve(words.small());
    device.cluster_groups.reserve(words.small());
  } else if (is("device")) {
    device.name = words.hex();
    device.memory_bytes = words.number(UINT64_MAX);
    device.portable_cluster = words.small();
    device.largest_cluster = words.small();
  } else if (is("group")) {
    ClusterGroup& one = more(device.cluster_groups);
    one.processors = words.small();
    one.count = words.small();
  } else if (is("attribute")) {
    std::uint64_t const number = words.number(DeviceTable::attribute_limit - 1);
    device.values[number] = words.integer();
    device.known[number] = true;
  } else if (is("kernel")) {
    read_kernel(words, brief);
  } else if (is("symbol")) {
    SymbolFacts& one = more(brief->symbols);
    one.name = words.hex();
    one.size = words.number(UINT64_MAX);
    one.constant = words.number(1) != 0;
  } else if (is("tensor")) {
    read_tensor(words, brief);
  } else if (is("integer")) {
    Argument& one = more(brief->arguments);
    one.kind = Argument::Kind::integer;
    one.integer = words.integer();
  } else if (is("real")) {
    Argument& one = more(brief->arguments);
    one.kind = Argument::Kind::real;
    Text const bytes = words.hex();  // little endian
    if (bytes.size != sizeof one.real) fail("a real of the brief has not 8 bytes");
    std::memcpy(&one.real, bytes.data, sizeof one.real);
  } else {
    fail("the brief has a line of an unknown kind");
  }
  if (!words.done()) fail("a line of the brief is too long");
}

}  // namespace

const KernelFacts* Brief::kernel(Text name) const {
  for (KernelFacts const& one : kernels) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

const SymbolFacts* Brief::symbol(Text name) const {
  for (SymbolFacts const& one : symbols) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

void read_brief(int descriptor, Brief* brief) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || status.st_size <= 0) fail("the brief cannot be read");
  auto const size = static_cast<std::size_t>(status.st_size);
  if (size > brief_limit_bytes) fail("the brief is too large");
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) fail("the brief cannot be mapped");
  const char* at = static_cast<const char*>(mapped);
  const char* const end = at + size;
  bool first = true;
  bool complete = false;
  while (at < end && !complete) {
    auto const* stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (stop == nullptr) fail("the brief has no last line");
    Words words(at, static_cast<std::size_t>(stop - at));
    Text const kind = words.word();
    if (first) {
      if (!(kind == text_of("brief")) || words.number(UINT64_MAX) != 1) fail("not a brief of format 1");
      first = false;
    } else if (kind == text_of("end")) {
      complete = true;
    } else {
      read_line(kind, words, brief);
    }
    at = stop + 1;
  }
  if (!complete || at != end) fail("the brief is cut short");
  munmap(mapped, size);
}

}  // namespace ptxboard
