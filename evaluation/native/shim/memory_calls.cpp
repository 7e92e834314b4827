// Allocation calls of the runtime.
#include "api.h"
#include "ending.h"
#include "faults.h"
#include "journal.h"
#include "memory.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr std::size_t pitch_unit = 512;  // as measured

cudaError_t give(const char* call, void** into, std::uint64_t size, Origin origin, cudaStream_t stream) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  int const number = stream_number(call, stream);
  if (number < 0) return failed(cudaErrorInvalidResourceHandle);
  void* const base = size == 0 ? nullptr : allocate(size, origin, number);
  if (base == nullptr && size != 0) return failed(cudaErrorMemoryAllocation);
  *into = base;
  return cudaSuccess;
}

cudaError_t take(const char* call, void* base, cudaStream_t stream) {
  if (base == nullptr) return cudaSuccess;
  int const number = stream_number(call, stream);
  if (number < 0) return failed(cudaErrorInvalidResourceHandle);
  return release(base, number) ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t give_host(void** into, std::size_t size) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  void* const base = size == 0 ? nullptr : allocate_host(size);
  if (base == nullptr && size != 0) return failed(cudaErrorMemoryAllocation);
  *into = base;
  return cudaSuccess;
}

cudaError_t give_pitched(void** into, std::size_t* pitch, std::size_t width, std::size_t rows) {
  if (into == nullptr || pitch == nullptr) return failed(cudaErrorInvalidValue);
  std::size_t const step = (width + pitch_unit - 1) / pitch_unit * pitch_unit;
  std::size_t bytes = 0;
  if (step < width || __builtin_mul_overflow(step, rows, &bytes)) return failed(cudaErrorMemoryAllocation);
  cudaError_t const code = give("cudaMallocPitch", into, bytes, Origin::device, nullptr);
  if (code == cudaSuccess) *pitch = step;
  return code;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** into, std::size_t size) { return give("cudaMalloc", into, size, Origin::device, nullptr); }

cudaError_t cudaFree(void* base) { return take("cudaFree", base, nullptr); }

cudaError_t cudaMallocAsync(void** into, std::size_t size, cudaStream_t stream) {
  return give("cudaMallocAsync", into, size, Origin::async, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** into, std::size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  if (pool != state().pool) return failed(cudaErrorInvalidValue);
  return give("cudaMallocFromPoolAsync", into, size, Origin::async, stream);
}

cudaError_t cudaFreeAsync(void* base, cudaStream_t stream) { return take("cudaFreeAsync", base, stream); }

cudaError_t cudaMallocPitch(void** into, std::size_t* pitch, std::size_t width, std::size_t height) {
  return give_pitched(into, pitch, width, height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* into, cudaExtent extent) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  std::size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) return failed(cudaErrorMemoryAllocation);
  void* base = nullptr;
  std::size_t pitch = 0;
  if (cudaError_t const code = give_pitched(&base, &pitch, extent.width, rows); code != cudaSuccess) return code;
  *into = cudaPitchedPtr{base, pitch, extent.width, extent.height};
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** into, std::size_t size) { return give_host(into, size); }

cudaError_t cudaHostAlloc(void** into, std::size_t size, unsigned flags) {
  unsigned const known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~known) != 0) return failed(cudaErrorInvalidValue);
  return give_host(into, size);
}

cudaError_t cudaFreeHost(void* base) {
  if (base == nullptr) return cudaSuccess;
  return release_host(base) ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* base, std::size_t size, unsigned) {
  if (base == nullptr || size == 0 || state().tokens.find(base) != nullptr) return failed(cudaErrorInvalidValue);
  return register_host(base, size) ? cudaSuccess : failed(cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* base) {
  return unregister_host(base) ? cudaSuccess : failed(cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetFlags(unsigned* into, void* base) {
  if (into == nullptr || host_memory_of(base) == nullptr) return failed(cudaErrorInvalidValue);
  *into = cudaHostAllocMapped;
  return cudaSuccess;
}

}  // extern "C"

#pragma GCC visibility pop
