// Questions about the device, answered from the table of the target.
#include "api.h"
#include "device.h"
#include "ending.h"
#include "errors.h"
#include "journal.h"
#include "queries.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr int driver_version = CUDA_VERSION;
constexpr int least_priority = 0;  // as measured on an H200
constexpr int greatest_priority = -5;

cudaError_t attribute(const char* call, int* into, int asked, int device) {
  if (into == nullptr || asked < 1 || asked > CU_DEVICE_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  std::int64_t const value = table_value(call, asked);
  Query(call).ask(asked).ask(device).answer(value);
  *into = static_cast<int>(value);
  return cudaSuccess;
}

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

cudaError_t use_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

template <typename Number>
cudaError_t tell(const char* call, Number* into, Number value) {
  if (into == nullptr) return cudaErrorInvalidValue;
  Query(call).answer(static_cast<std::int64_t>(value));
  *into = value;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* into) { return report(tell("cudaGetDeviceCount", into, 1)); }

cudaError_t cudaGetDevice(int* into) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  *into = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return report(use_device(device)); }

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return report(use_device(device)); }

cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }

cudaError_t cudaDeviceGetAttribute(int* into, cudaDeviceAttr asked, int device) {
  return report(attribute("cudaDeviceGetAttribute", into, static_cast<int>(asked), device));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  Query("cudaDeviceGetStreamPriorityRange").answer(least_priority).answer(greatest_priority);
  if (least != nullptr) *least = least_priority;
  if (greatest != nullptr) *greatest = greatest_priority;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* into) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  *into = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* into) { return report(tell("cudaDriverGetVersion", into, driver_version)); }

cudaError_t cudaGetDeviceFlags(unsigned* into) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  *into = cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  if (config != cudaFuncCachePreferNone) remark("cache_config_dropped", "cudaDeviceSetCacheConfig");
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

CUresult cuInit(unsigned flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuDriverGetVersion(int* into) { return driver_code(tell("cuDriverGetVersion", into, driver_version)); }

CUresult cuDeviceGet(CUdevice* into, int ordinal) {
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *into = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* into) { return driver_code(tell("cuDeviceGetCount", into, 1)); }

CUresult cuDeviceGetAttribute(int* into, CUdevice_attribute asked, CUdevice device) {
  return driver_code(attribute("cuDeviceGetAttribute", into, static_cast<int>(asked), device));
}

CUresult cuDeviceGetName(char* into, int room, CUdevice device) {
  if (into == nullptr || room <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  Text const name = state().brief.device.name;
  if (name.size == 0) refuse("cuDeviceGetName", "the name of the device is not in its table");
  std::size_t const size = name.size < static_cast<std::size_t>(room) ? name.size : static_cast<std::size_t>(room) - 1;
  for (std::size_t i = 0; i < size; i++) into[i] = name.data[i];
  into[size] = 0;
  Query("cuDeviceGetName").ask(device).answer(name);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* into, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::size_t const bytes = state().brief.device.memory_bytes;
  if (bytes == 0) refuse("cuDeviceTotalMem", "the memory size is not in the device table");
  Query("cuDeviceTotalMem").ask(device).answer(static_cast<std::int64_t>(bytes));
  *into = bytes;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* into) {
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *into = static_cast<CUcontext>(state().context);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return context == state().context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxSetCurrent(context); }

CUresult cuCtxPopCurrent(CUcontext* into) { return into == nullptr ? CUDA_SUCCESS : cuCtxGetCurrent(into); }

CUresult cuCtxGetDevice(CUdevice* into) { return cuDeviceGet(into, 0); }

CUresult cuDevicePrimaryCtxRetain(CUcontext* into, CUdevice device) {
  return device == 0 ? cuCtxGetCurrent(into) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return driver_code(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }

}  // extern "C"

#pragma GCC visibility pop
