// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC11): a counter of 128 bits and a key of 64 bits give 128 random bits.
// evaluation/core/measure/philox.py is the same in Python.
#pragma once

struct Words4 {
  unsigned x, y, z, w;
};

__device__ __forceinline__ Words4 philox(Words4 counter, unsigned long long key) {
  unsigned low = static_cast<unsigned>(key);
  unsigned high = static_cast<unsigned>(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    unsigned long long first = 0xD2511F53ull * counter.x;
    unsigned long long second = 0xCD9E8D57ull * counter.z;
    counter = {static_cast<unsigned>(second >> 32) ^ counter.y ^ low, static_cast<unsigned>(second),
               static_cast<unsigned>(first >> 32) ^ counter.w ^ high, static_cast<unsigned>(first)};
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter;
}

// What a block of random words is for: the last word of its counter, so that no two uses share a block.
enum class Use : unsigned { normals = 0, bits = 1, lines = 2 };

__device__ __forceinline__ Words4 random_block(unsigned long long block, unsigned which, Use use,
                                               unsigned long long key) {
  return philox({static_cast<unsigned>(block), static_cast<unsigned>(block >> 32), which, static_cast<unsigned>(use)},
                key);
}
