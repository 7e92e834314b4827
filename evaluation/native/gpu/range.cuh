// A range of bytes at any address as blocks of 16 aligned bytes. The first and last block may stick out; bytes beyond
// the range are neither read nor written.
#pragma once

struct Range {
  unsigned long long start, end, first;
  unsigned long long blocks;

  __device__ __forceinline__ Range(unsigned long long address, unsigned long long size)
      : start(address), end(address + size), first(address & ~15ull), blocks((end - first + 15) / 16) {
    if (size == 0) blocks = 0;
  }

  __device__ __forceinline__ bool whole(unsigned long long at) const { return at >= start && at + 16 <= end; }

  __device__ __forceinline__ uint4 load(unsigned long long block) const {
    unsigned long long at = first + block * 16;
    if (whole(at)) return __ldcs(reinterpret_cast<const uint4*>(at));
    unsigned words[4] = {0, 0, 0, 0};
    for (int place = 0; place < 16; ++place) {
      unsigned long long byte = at + place;
      if (byte >= start && byte < end) {
        unsigned value = *reinterpret_cast<const volatile unsigned char*>(byte);
        words[place / 4] |= value << 8 * (place % 4);
      }
    }
    return {words[0], words[1], words[2], words[3]};
  }

  __device__ __forceinline__ void store(unsigned long long block, uint4 value) const {
    unsigned long long at = first + block * 16;
    if (whole(at)) {
      *reinterpret_cast<uint4*>(at) = value;
      return;
    }
    const unsigned words[4] = {value.x, value.y, value.z, value.w};
    for (int place = 0; place < 16; ++place) {
      unsigned long long byte = at + place;
      if (byte >= start && byte < end)
        *reinterpret_cast<unsigned char*>(byte) = static_cast<unsigned char>(words[place / 4] >> 8 * (place % 4));
    }
  }
};
