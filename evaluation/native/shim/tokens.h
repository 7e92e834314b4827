// Token addresses: places in unmapped memory that stand for device memory (rules L1 and L5).
#pragma once

#include <cstdint>

#include "arena.h"

namespace ptxboard {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

// The finaliser of the generator that bases and tensor-map tokens come from.
std::uint64_t mix(std::uint64_t value);

// What a range of token memory stands for.
enum class Origin { buffer, device, async, environment, symbol, handle };

struct Range {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint64_t other = 0;  // the base in the other process
  Origin origin = Origin::handle;
  std::uint32_t index = 0;  // allocation id, symbol index, or argument * 2 + set
  bool live = false;
};

class Tokens {
 public:
  void begin(std::uint64_t seed, std::uint32_t process);

  // A new range of `size` bytes. 256-byte aligned, never more. Its base and its base in the other process differ in
  // every byte above the lowest, by a difference that no other range has, and ranges lie in the opposite order there.
  // Ends the process as not recordable when there are too many.
  Range* add(std::uint64_t size, Origin origin, std::uint32_t index);

  // A handle for the author: a token that is no memory.
  void* handle() { return reinterpret_cast<void*>(add(256, Origin::handle, 0)->base); }

  // The live range of memory that holds this address, or null.
  Range* find(std::uint64_t address);
  Range* find(const void* address) { return find(reinterpret_cast<std::uint64_t>(address)); }

  // The newest range that ever held this address, freed ones and handles too; null for an address that is no token.
  const Range* trace(std::uint64_t address) const;

  std::uint64_t nonce_low = 0;
  std::uint64_t nonce_high = 0;

 private:
  bool fits(const Range& one) const;

  List<Range> ranges_;
  std::uint64_t seed_ = 0;
  std::uint32_t process_ = 0;
};

}  // namespace ptxboard
