#include "tokens.h"

#include "ending.h"

namespace ptxboard {
namespace {

constexpr std::uint32_t range_limit = 32768;
constexpr std::uint64_t gap_bytes = std::uint64_t{1} << 20;  // so that a small overrun meets no other range
constexpr std::uint32_t attempts = 4096;

// The highest byte of a base is 0x10 to 0x4f: programs, heaps and stacks of Linux lie elsewhere, with random addresses
// too, and so do small integers.
constexpr std::uint64_t lowest_top = 0x10;
constexpr std::uint64_t tops = 0x40;

struct Pair {
  std::uint64_t base[2];
};

// A byte of each base; the second is never equal to the first.
void add_byte(Pair* pair, std::uint64_t bits, unsigned shift, bool odd) {
  std::uint64_t first = bits & 0xFF;
  std::uint64_t distance = 1 + (bits >> 8) % 255;
  if (odd) {  // the lowest byte above the alignment keeps its bit 0 set: 256-byte aligned and not more
    first |= 1;
    distance = 2 + (bits >> 8) % 127 * 2;
  }
  pair->base[0] |= first << shift;
  pair->base[1] |= ((first + distance) & 0xFF) << shift;
}

Pair candidate(std::uint64_t seed, std::uint64_t index, std::uint64_t attempt) {
  std::uint64_t state = mix(seed ^ mix(index * attempts + attempt + golden));
  auto next = [&state] { return mix(state += golden); };
  std::uint64_t const top = next() % tops;
  // Mirrored, so that whatever sorts its pointers meets another order in the other process.
  Pair pair{{(lowest_top + top) << 40, (lowest_top + tops - 1 - top) << 40}};
  for (unsigned shift = 32; shift >= 16; shift -= 8) add_byte(&pair, next(), shift, false);
  add_byte(&pair, next(), 8, true);
  return pair;
}

bool apart(std::uint64_t base, std::uint64_t size, std::uint64_t other, std::uint64_t other_size) {
  return base + size + gap_bytes <= other || other + other_size + gap_bytes <= base;
}

}  // namespace

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 30;
  value *= 0xBF58476D1CE4E5B9;
  value ^= value >> 27;
  value *= 0x94D049BB133111EB;
  value ^= value >> 31;
  return value;
}

void Tokens::begin(std::uint64_t seed, std::uint32_t process) {
  ranges_.reserve(range_limit);
  seed_ = seed;
  process_ = process;
  std::uint64_t const own = mix(seed + golden * (2 + process));
  nonce_low = mix(own + golden);
  nonce_high = mix(own + golden * 2);
}

bool Tokens::fits(const Range& one) const {
  for (Range const& other : ranges_) {
    if (&other == &one) continue;
    if (!apart(one.base, one.size, other.base, other.size) || !apart(one.other, one.size, other.other, other.size) ||
        one.other - one.base == other.other - other.base) {
      return false;
    }
    // Distinct highest bytes while there are enough of them: these decide the order in both processes.
    if (ranges_.size() < tops / 2 && one.base >> 40 == other.base >> 40) return false;
  }
  return true;
}

Range* Tokens::add(std::uint64_t size, Origin origin, std::uint32_t index) {
  std::uint32_t const number = ranges_.size();
  Range* const range = ranges_.add();
  if (range == nullptr) refuse("recording", "more than %u allocations, symbols and handles", range_limit);
  *range = Range{0, size, 0, origin, index, origin != Origin::handle};
  for (std::uint32_t attempt = 0; attempt < attempts; attempt++) {
    Pair const pair = candidate(seed_, number, attempt);
    range->base = pair.base[process_];
    range->other = pair.base[1 - process_];
    if (fits(*range)) return range;
  }
  refuse("recording", "no room for %llu bytes of token memory", static_cast<unsigned long long>(size));
}

Range* Tokens::find(std::uint64_t address) {
  for (std::uint32_t i = ranges_.size(); i > 0; i--) {
    Range& one = ranges_[i - 1];
    if (one.live && address - one.base < one.size) return &one;
  }
  return nullptr;
}

const Range* Tokens::trace(std::uint64_t address) const {
  for (std::uint32_t i = ranges_.size(); i > 0; i--) {
    Range const& one = ranges_[i - 1];
    if (address - one.base < one.size) return &one;
  }
  return nullptr;
}

}  // namespace ptxboard
