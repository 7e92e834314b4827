// Nothing of an earlier kernel is left in shared memory, registers or tensor memory (rule T9). Launched cooperatively,
// one block of 1024 threads a multiprocessor with all its shared memory (at least 192 KiB), so that none is left out.
#pragma once

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
#include "tensor_memory.cuh"

// By the first four warps; warp w reaches lanes 32 w to 32 w + 31.
__device__ __forceinline__ void clear_tensor_memory() {
  __shared__ unsigned slot;
  if (threadIdx.x < 32) take_tensor_memory(&slot);
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  if (threadIdx.x < 128) {
    unsigned lanes = slot + (threadIdx.x / 32 * 32 << 16);
    for (unsigned column = 0; column < 512; column += 8)
      asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1, %1, %1, %1, %1, %1, %1, %1};" ::"r"(lanes + column),
                   "r"(0)
                   : "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  if (threadIdx.x < 32) give_tensor_memory(slot);
}
#else
__device__ __forceinline__ void clear_tensor_memory() {}
#endif

// 48 of the 64 registers that each of 1024 threads has, from cleared shared memory; the rest are written by this kernel's
// own work. All are loaded before the first is stored, so that all of them are in use at once.
__device__ __forceinline__ void clear_registers(volatile unsigned* cleared) {
  unsigned registers[48];
#pragma unroll
  for (int place = 0; place < 48; ++place) registers[place] = cleared[place * 1024 + threadIdx.x];
#pragma unroll
  for (int place = 47; place >= 0; --place) cleared[place * 1024 + threadIdx.x] = registers[place];
}

// Waits until every block has come, so that none ends early and leaves its place to another. ``arrivals`` begins at zero.
__device__ __forceinline__ void wait_for_all(unsigned* arrivals) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrivals, 1u);
    while (*static_cast<volatile unsigned*>(arrivals) < gridDim.x) __nanosleep(100);
  }
  __syncthreads();
}

extern "C" __global__ void __launch_bounds__(1024, 1) trusted_scrub(unsigned shared_bytes, unsigned* arrivals) {
  extern __shared__ __align__(16) unsigned everything[];
  volatile unsigned* words = everything;
  for (unsigned place = threadIdx.x; place < shared_bytes / 4; place += blockDim.x) words[place] = 0;
  __syncthreads();
  clear_registers(words);
  clear_tensor_memory();
  wait_for_all(arrivals);
}
