// A cold L2 cache, and how fast memory can be read. All addresses and sizes are multiples of 16 bytes.
#pragma once

#include "grid.cuh"

// First half of the flush: every line of the scratch memory is written.
extern "C" __global__ void __launch_bounds__(512)
trusted_flush_write(uint4* scratch, unsigned long long blocks, unsigned value) {
  for (unsigned long long block = thread_place(); block < blocks; block += thread_count())
    scratch[block] = {value, value, value, value};
}

// Reads everything and keeps nothing; as second half of the flush it leaves only clean lines, so that no timed call pays
// for writing back what the flush has written. ``sink`` is written in no run: nobody writes ``never`` into what is read.
extern "C" __global__ void __launch_bounds__(512)
trusted_read(const uint4* source, unsigned long long blocks, unsigned never, unsigned* sink) {
  unsigned seen = 0;
  unsigned long long stride = thread_count();
  unsigned long long block = thread_place();
  for (; block + 7 * stride < blocks; block += 8 * stride) {
    uint4 words[8];
#pragma unroll
    for (int ahead = 0; ahead < 8; ++ahead) words[ahead] = __ldcg(source + block + ahead * stride);
#pragma unroll
    for (int ahead = 0; ahead < 8; ++ahead) seen |= words[ahead].x ^ words[ahead].y ^ words[ahead].z ^ words[ahead].w;
  }
  for (; block < blocks; block += stride) {
    uint4 words = __ldcg(source + block);
    seen |= words.x ^ words.y ^ words.z ^ words.w;
  }
  if (seen == never) *sink = seen;
}
