// Inputs and fillings: independent normal values and random bits, from a key that no candidate sees.
#pragma once

#include "grid.cuh"
#include "philox.cuh"
#include "range.cuh"

// Two normal values from two random words (Box and Muller). The first word becomes a number in [2^-33, 1].
__device__ __forceinline__ float2 normal_pair(unsigned radius_word, unsigned angle_word) {
  float uniform = fmaf(__uint2float_rn(radius_word), 0x1p-32f, 0x1p-33f);
  float radius = sqrtf(-2.0f * logf(fminf(uniform, 1.0f)));
  float sine, cosine;
  sincospif(static_cast<float>(static_cast<int>(angle_word)) * 0x1p-31f, &sine, &cosine);
  return {radius * cosine, radius * sine};
}

__device__ __forceinline__ float4 normal_block(unsigned long long block, unsigned which, unsigned long long key) {
  Words4 words = random_block(block, which, Use::normals, key);
  float2 first = normal_pair(words.x, words.y);
  float2 second = normal_pair(words.z, words.w);
  return {first.x, first.y, second.x, second.y};
}

// Round a finite value to bfloat16, to nearest, ties to even.
__device__ __forceinline__ unsigned to_bfloat16(float value) {
  unsigned bits = __float_as_uint(value);
  return (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
}

// Element i is value i % 4 of block i / 4. ``target`` is 16-byte aligned.
extern "C" __global__ void __launch_bounds__(256)
trusted_normals_f32(float* target, unsigned long long elements, unsigned long long key, unsigned which) {
  unsigned long long blocks = (elements + 3) / 4;
  for (unsigned long long block = thread_place(); block < blocks; block += thread_count()) {
    float4 values = normal_block(block, which, key);
    unsigned long long first = block * 4;
    if (first + 4 <= elements) {
      reinterpret_cast<float4*>(target)[block] = values;
    } else {
      const float four[4] = {values.x, values.y, values.z, values.w};
      for (int lane = 0; first + lane < elements; ++lane) target[first + lane] = four[lane];
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
trusted_normals_bf16(unsigned short* target, unsigned long long elements, unsigned long long key, unsigned which) {
  unsigned long long groups = (elements + 7) / 8;
  for (unsigned long long group = thread_place(); group < groups; group += thread_count()) {
    float4 low = normal_block(group * 2, which, key);
    float4 high = normal_block(group * 2 + 1, which, key);
    const unsigned halves[8] = {to_bfloat16(low.x),  to_bfloat16(low.y),  to_bfloat16(low.z),  to_bfloat16(low.w),
                                to_bfloat16(high.x), to_bfloat16(high.y), to_bfloat16(high.z), to_bfloat16(high.w)};
    unsigned long long first = group * 8;
    if (first + 8 <= elements) {
      reinterpret_cast<uint4*>(target)[group] = {halves[0] | halves[1] << 16, halves[2] | halves[3] << 16,
                                                 halves[4] | halves[5] << 16, halves[6] | halves[7] << 16};
    } else {
      for (int lane = 0; first + lane < elements; ++lane) target[first + lane] = static_cast<unsigned short>(halves[lane]);
    }
  }
}

// Byte a of memory gets byte a % 16 of random block a / 16 - address / 16: any address, any size.
extern "C" __global__ void __launch_bounds__(256)
trusted_bits(unsigned long long address, unsigned long long size, unsigned long long key) {
  Range range(address, size);
  for (unsigned long long block = thread_place(); block < range.blocks; block += thread_count()) {
    Words4 words = random_block(block, 0, Use::bits, key);
    range.store(block, {words.x, words.y, words.z, words.w});
  }
}
