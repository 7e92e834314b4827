// Kernels of known shapes for the semantics program.
#pragma once

#include "report.h"

__device__ float symbol_of_64_bytes[16];
__constant__ int constant_of_16_bytes[4];

__global__ void plain(float* out) {
  if (out) out[threadIdx.x] = 1.0f;
}

__global__ void __launch_bounds__(256) bounded(float* out) {
  if (out) out[threadIdx.x] = 2.0f;
}

__global__ void static_shared(float* out) {
  __shared__ float room[256];  // 1,024 bytes
  room[threadIdx.x % 256] = float(threadIdx.x);
  __syncthreads();
  if (out) out[threadIdx.x] = room[(threadIdx.x + 1) % 256];
}

__global__ void dynamic_shared(float* out) {
  extern __shared__ float room[];
  room[threadIdx.x] = 1.0f;
  __syncthreads();
  if (out) out[threadIdx.x] = room[0];
}

__global__ void __cluster_dims__(2, 1, 1) fixed_cluster(float* out) {
  if (out) out[threadIdx.x] = 3.0f;
}

// Many values live at once, so that the compiler needs about N registers.
template <int N>
__global__ void hungry(float* out, int rounds) {
  float kept[N];
#pragma unroll
  for (int i = 0; i < N; i++) kept[i] = out[i * 32];
  for (int round = 0; round < rounds; round++) {
#pragma unroll
    for (int i = 0; i < N; i++) kept[i] = kept[i] * kept[(i + 7) % N] + 1.0f;
  }
#pragma unroll
  for (int i = 0; i < N; i++) out[i * 32] = kept[i];
}
