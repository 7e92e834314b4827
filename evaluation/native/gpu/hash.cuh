// A keyed 64-bit hash of bytes in their order: the sum over words of a mix of the word and its place.
// evaluation/core/measure/range_hash.py is the same in Python.
#pragma once

#include "grid.cuh"
#include "range.cuh"

// The finaliser of MurmurHash3: a bijection in which every input bit reaches every output bit.
__device__ __forceinline__ unsigned long long mix(unsigned long long word) {
  word = (word ^ (word >> 33)) * 0xFF51AFD7ED558CCDull;
  word = (word ^ (word >> 33)) * 0xC4CEB9FE1A85EC53ull;
  return word ^ (word >> 33);
}

__device__ __forceinline__ unsigned long long placed(unsigned low, unsigned high, unsigned long long place,
                                                     unsigned long long key) {
  unsigned long long word = static_cast<unsigned long long>(high) << 32 | low;
  return mix(word ^ mix(place * 0x9E3779B97F4A7C15ull + key));
}

// Adds the hash to ``result``, which the caller has set to zero.
extern "C" __global__ void __launch_bounds__(512)
trusted_hash(unsigned long long address, unsigned long long size, unsigned long long key, unsigned long long* result) {
  Range range(address, size);
  unsigned long long sum = 0;
#pragma unroll 4
  for (unsigned long long block = thread_place(); block < range.blocks; block += thread_count()) {
    uint4 words = range.load(block);
    sum += placed(words.x, words.y, block * 2 + 1, key) + placed(words.z, words.w, block * 2 + 2, key);
  }
  if (thread_place() == 0) sum += mix(mix(size ^ key) + (address & 15));
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  __shared__ unsigned long long total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(result, total);
}
