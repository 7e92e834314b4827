// Matrix work without memory traffic: m128n256k16 bfloat16 products from shared memory into tensor memory.
#pragma once

#include "tensor_memory.cuh"

constexpr unsigned kProductsEach = 8;  // 2^23 floating point operations of one block in one round

// Instruction descriptor: sums in float32, operands bfloat16, N = 256, M = 128.
constexpr unsigned kInstruction = 1u << 4 | 1u << 7 | 1u << 10 | (256u >> 3) << 17 | (128u >> 4) << 24;

// Descriptor of an operand of 16 values a row without swizzle: core matrices of 128 bytes, two side by side.
__device__ __forceinline__ unsigned long long operand_at(const void* shared) {
  unsigned long long address = __cvta_generic_to_shared(shared);
  return (address >> 4 & 0x3FFF) | (128ull >> 4) << 16 | (256ull >> 4) << 32 | 1ull << 46;
}

__device__ __forceinline__ void product(unsigned sums, unsigned long long left, unsigned long long right, bool add) {
  asm volatile(
      "{\n\t.reg .pred add;\n\tsetp.ne.u32 add, %4, 0;\n\t"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, add;\n\t}" ::"r"(sums),
      "l"(left), "l"(right), "r"(kInstruction), "r"(static_cast<unsigned>(add))
      : "memory");
}

__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n\t.reg .pred done;\n\tAGAIN:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
      "@!done bra AGAIN;\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void matrix_rounds(unsigned rounds, unsigned long long key, float* sink) {
  __shared__ __align__(256) unsigned left[128 * 16 / 2];
  __shared__ __align__(256) unsigned right[256 * 16 / 2];
  __shared__ __align__(8) unsigned long long done;
  __shared__ unsigned slot;
  for (unsigned place = threadIdx.x; place < 256 * 16 / 2; place += blockDim.x) {
    right[place] = small_pair(place, 1, key);
    if (place < 128 * 16 / 2) left[place] = small_pair(place, 2, key);
  }
  unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&done));
  if (threadIdx.x < 32) take_tensor_memory(&slot);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  unsigned sums = slot;
  if (threadIdx.x == 0) {
    unsigned long long first = operand_at(left), second = operand_at(right);
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
      for (unsigned each = 0; each < kProductsEach; ++each) product(sums, first, second, round + each > 0);
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
                   : "memory");
      if (round > 0) wait_for(barrier, (round - 1) & 1);  // one round stays in flight
    }
    if (rounds > 0) wait_for(barrier, (rounds - 1) & 1);
  }
  __syncthreads();
  if (threadIdx.x < 32) give_tensor_memory(sums);
  if (rounds == ~0u) *sink = 0.0f;
}
