// The best rate of the target's matrix unit, also used to bring a device to working clocks.
#pragma once

#include "philox.cuh"

// Two random bfloat16 values of absolute value in [0.5, 1), each of its own sign.
__device__ __forceinline__ unsigned small_pair(unsigned place, unsigned which, unsigned long long key) {
  unsigned word = random_block(place, which, Use::bits, key).x;
  return (word & 0x807F807Fu) | 0x3F003F00u;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#include "matrix_hopper.cuh"
#elif defined(__CUDA_ARCH_FEAT_SM100_ALL)
#include "matrix_blackwell.cuh"
#else
#error "the judge's kernels are for sm_90a and sm_100a"
#endif

// ``rounds`` times 2^23 floating point operations in every block; one block fills a multiprocessor.
extern "C" __global__ void __launch_bounds__(256, 1) trusted_matrix(unsigned rounds, unsigned long long key, float* sink) {
  matrix_rounds(rounds, key, sink);
}
