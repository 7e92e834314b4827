// CUDA for one thread on a processor: what the judge's own kernels need to run where there is no GPU. A warp is one lane,
// so that a neighbour's value is zero; a grid is one block of one thread, so that every loop goes over everything.
#pragma once

#include <cmath>
#include <cstring>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __shared__ static

using std::isfinite;

struct Place {
  unsigned x, y, z;
};
static const Place threadIdx{0, 0, 0}, blockIdx{0, 0, 0}, blockDim{1, 1, 1}, gridDim{1, 1, 1};

struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
struct uint4 {
  unsigned x, y, z, w;
};

template <typename To, typename From>
To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits are kept");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

inline float __uint_as_float(unsigned bits) { return same_bits<float>(bits); }
inline float __int_as_float(int bits) { return same_bits<float>(bits); }
inline unsigned __float_as_uint(float value) { return same_bits<unsigned>(value); }
inline float __uint2float_rn(unsigned value) { return static_cast<float>(value); }
inline float __fmul_rn(float one, float other) { return one * other; }
inline float __fsub_rn(float one, float other) { return one - other; }
inline unsigned min(unsigned one, unsigned other) { return one < other ? one : other; }

inline void sincospif(float half_turns, float *sine, float *cosine) {
  *sine = static_cast<float>(std::sin(M_PI * half_turns));
  *cosine = static_cast<float>(std::cos(M_PI * half_turns));
}

template <typename Value>
Value __ldcs(const Value *at) {
  return *at;
}

template <typename Value>
Value __shfl_down_sync(unsigned, Value, int) {
  return Value(0);
}

inline unsigned __reduce_add_sync(unsigned, unsigned value) { return value; }

template <typename Value>
Value atomicAdd(Value *at, Value value) {
  Value before = *at;
  *at += value;
  return before;
}

template <typename Value>
Value atomicMax(Value *at, Value value) {
  Value before = *at;
  if (value > before) *at = value;
  return before;
}

inline void __syncthreads() {}
inline void __threadfence() {}
