// Places of a thread in a one-dimensional grid.
#pragma once

__device__ __forceinline__ unsigned long long thread_place() {
  return static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ unsigned long long thread_count() {
  return static_cast<unsigned long long>(gridDim.x) * blockDim.x;
}
