// Tensor memory of sm_100a: 128 lanes of 512 columns of 32 bits in a multiprocessor.
#pragma once

// By all threads of one warp. ``slot`` is in shared memory and holds the address afterwards.
__device__ __forceinline__ void take_tensor_memory(unsigned* slot) {
  unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(slot));
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 512;" ::"r"(shared) : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void give_tensor_memory(unsigned address) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(address) : "memory");
}
