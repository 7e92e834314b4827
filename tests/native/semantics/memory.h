// Allocation, memset and pointer questions.
#pragma once

#include "kernels.h"

inline void pointer(const char* name, const void* asked, const void* base) {
  cudaPointerAttributes found{};
  outcome(name, cudaPointerGetAttributes(&found, asked));
  fact("  type", found.type);
  fact("  device", found.device);
  fact("  device pointer is it", found.devicePointer == asked);
  fact("  host pointer is it", found.hostPointer == asked);
  fact("  host pointer is null", found.hostPointer == nullptr);
  (void)base;
}

void report_memory() {
  topic = "memory";
  char* base = nullptr;
  char* other = nullptr;
  outcome("malloc", cudaMalloc(&base, 1000));
  outcome("malloc 0", cudaMalloc(&other, 0));
  fact("  is null", other == nullptr);
  outcome("malloc 1 PiB", cudaMalloc(&other, size_t(1) << 50));
  outcome("malloc into nothing", cudaMalloc(static_cast<void**>(nullptr), 16));
  outcome("free null", cudaFree(nullptr));
  outcome("free inside", cudaFree(base + 256));
  outcome("free garbage", cudaFree(reinterpret_cast<void*>(0x1234500)));
  char local[16] = {};
  outcome("free host", cudaFree(local));
  outcome("memset", cudaMemset(base, 1, 1000));
  outcome("memset 0 bytes", cudaMemset(base, 1, 0));
  outcome("memset 0 bytes of null", cudaMemset(nullptr, 1, 0));
  outcome("memset null", cudaMemset(nullptr, 1, 16));
  outcome("memset too far", cudaMemset(base, 1, 64 << 20));
  outcome("memset host", cudaMemset(local, 1, 16));
  outcome("memset async", cudaMemsetAsync(base, 1, 1000, nullptr));
  outcome("memset 2d", cudaMemset2D(base, 100, 1, 50, 10));
  outcome("memset 2d narrow pitch", cudaMemset2D(base, 40, 1, 50, 10));
  outcome("memset 2d no rows", cudaMemset2D(base, 100, 1, 50, 0));
  result("cuMemsetD32", cuMemsetD32(CUdeviceptr(base), 7, 250));
  result("cuMemsetD32 unaligned", cuMemsetD32(CUdeviceptr(base) + 2, 7, 10));
  result("cuMemsetD16 unaligned", cuMemsetD16(CUdeviceptr(base) + 1, 7, 10));
  result("cuMemsetD8", cuMemsetD8(CUdeviceptr(base), 7, 10));
  result("cuMemsetD32 null", cuMemsetD32(0, 7, 10));
  pointer("pointer", base, base);
  pointer("pointer inside", base + 10, base);
  pointer("pointer host", local, local);
  pointer("pointer null", nullptr, nullptr);
  outcome("free", cudaFree(base));
  outcome("free again", cudaFree(base));
  outcome("memset freed", cudaMemset(base, 1, 16));
  outcome("async", cudaMallocAsync(&base, 1000, nullptr));
  pointer("pointer async", base, base);
  outcome("async 0", cudaMallocAsync(&other, 0, nullptr));
  fact("  is null", other == nullptr);
  outcome("async free", cudaFreeAsync(base, nullptr));
  outcome("async free null", cudaFreeAsync(nullptr, nullptr));
  outcome("async again", cudaMallocAsync(&base, 1000, nullptr));
  outcome("free of async", cudaFree(base));
  outcome("malloc again", cudaMalloc(&base, 1000));
  outcome("async free of malloc", cudaFreeAsync(base, nullptr));
  void* pinned = nullptr;
  outcome("host", cudaMallocHost(&pinned, 1000));
  pointer("pointer pinned", pinned, pinned);
  outcome("host free of local", cudaFreeHost(local));
  outcome("host free null", cudaFreeHost(nullptr));
  outcome("free of pinned", cudaFree(pinned));
  outcome("host free", cudaFreeHost(pinned));
  outcome("host 0", cudaMallocHost(&pinned, 0));
  fact("  is null", pinned == nullptr);
  outcome("host alloc bad flags", cudaHostAlloc(&pinned, 16, 0x80));
  size_t pitch = 0;
  outcome("pitch", cudaMallocPitch(&other, &pitch, 100, 3));
  fact("  pitch", (long long)pitch);
  outcome("free pitch", cudaFree(other));
  cudaMemPool_t pool = nullptr;
  outcome("default pool", cudaDeviceGetDefaultMemPool(&pool, 0));
  uint64_t threshold = 99;
  outcome("threshold", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  fact("  value", (long long)threshold);
  threshold = UINT64_MAX;
  outcome("set threshold", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  outcome("threshold again", cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  fact("  value", (long long)threshold);
  int flag = 9;
  outcome("reuse", cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &flag));
  fact("  value", flag);
  outcome("trim", cudaMemPoolTrimTo(pool, 0));
  outcome("pool of device 7", cudaDeviceGetDefaultMemPool(&pool, 7));
}
