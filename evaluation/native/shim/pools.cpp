// The device's default memory pool. Its attributes are kept so that getters agree with setters; they change when
// memory returns to the system, never what a kernel computes.
#include <cstring>

#include "api.h"
#include "ending.h"
#include "errors.h"
#include "faults.h"
#include "journal.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

bool is_flag(int attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

// The values of a fresh pool, as measured: reuse on, release threshold 0.
std::uint64_t& kept(int attribute) {
  static bool begun = false;
  State& all = state();
  if (!begun) {
    for (int i = 0; i < 16; i++) all.pool_attributes[i] = is_flag(i) ? 1 : 0;
    begun = true;
  }
  return all.pool_attributes[attribute];
}

cudaError_t get(const char* call, cudaMemPool_t pool, int attribute, void* into) {
  if (pool != state().pool || into == nullptr) return cudaErrorInvalidValue;
  if (is_flag(attribute)) {
    int const value = static_cast<int>(kept(attribute));
    return store(into, &value, sizeof value) ? cudaSuccess : cudaErrorInvalidValue;
  }
  if (attribute != cudaMemPoolAttrReleaseThreshold) {
    refuse(call, "pool attribute %d tells how much memory is in use, which a plan cannot know", attribute);
  }
  return store(into, &kept(attribute), sizeof(std::uint64_t)) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t set(const char* call, cudaMemPool_t pool, int attribute, const void* from) {
  if (pool != state().pool || from == nullptr) return cudaErrorInvalidValue;
  if (is_flag(attribute)) {
    int value = 0;
    if (!fetch(&value, from, sizeof value)) return cudaErrorInvalidValue;
    kept(attribute) = value != 0;
  } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
    if (!fetch(&kept(attribute), from, sizeof(std::uint64_t))) return cudaErrorInvalidValue;
  } else {
    return cudaErrorInvalidValue;
  }
  remark("pool_attribute_dropped", call);
  return cudaSuccess;
}

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

template <typename Pool>
bool give(Pool* into, int device) {
  if (device != 0 || into == nullptr) return false;
  *into = static_cast<Pool>(state().pool);
  return true;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* into, int device) {
  return give(into, device) ? cudaSuccess : failed(device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* into, int device) { return cudaDeviceGetDefaultMemPool(into, device); }

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return failed(cudaErrorInvalidDevice);
  return pool == state().pool ? cudaSuccess : failed(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* into) {
  return report(get("cudaMemPoolGetAttribute", pool, static_cast<int>(attribute), into));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* from) {
  return report(set("cudaMemPoolSetAttribute", pool, static_cast<int>(attribute), from));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return pool == state().pool ? cudaSuccess : failed(cudaErrorInvalidValue);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* into, CUdevice device) {
  return give(into, device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetMemPool(CUmemoryPool* into, CUdevice device) { return cuDeviceGetDefaultMemPool(into, device); }

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* into) {
  return driver_code(get("cuMemPoolGetAttribute", pool, static_cast<int>(attribute), into));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* from) {
  return driver_code(set("cuMemPoolSetAttribute", pool, static_cast<int>(attribute), from));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  return pool == state().pool ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"

#pragma GCC visibility pop
