// Device questions, limits, errors and versions. Values that differ between two GPUs of one product are left out.
#pragma once

#include "kernels.h"

inline void limit(const char* name, cudaLimit which) {
  size_t value = 99;
  outcome(name, cudaDeviceGetLimit(&value, which));
  fact("  value", (long long)value);
}

void report_devices() {
  topic = "device";
  int value = -1;
  outcome("count", cudaGetDeviceCount(&value));
  fact("  value", value);
  outcome("get", cudaGetDevice(&value));
  fact("  value", value);
  outcome("set 0", cudaSetDevice(0));
  outcome("set 7", cudaSetDevice(7));
  outcome("set -1", cudaSetDevice(-1));
  outcome("attribute", cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  fact("  value", value);
  outcome("attribute of device 7", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 7));
  outcome("attribute 9999", cudaDeviceGetAttribute(&value, cudaDeviceAttr(9999), 0));
  outcome("attribute into nothing", cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  cudaDeviceProp found{};
  outcome("properties", cudaGetDeviceProperties(&found, 0));
  fact("  major", found.major);
  fact("  processors", found.multiProcessorCount);
  fact("  shared", (long long)found.sharedMemPerBlock);
  fact("  opt-in", (long long)found.sharedMemPerBlockOptin);
  fact("  a processor", (long long)found.sharedMemPerMultiprocessor);
  fact("  registers", found.regsPerBlock);
  fact("  threads", found.maxThreadsPerMultiProcessor);
  fact("  cache", found.l2CacheSize);
  fact("  persisting", found.persistingL2CacheMaxSize);
  fact("  grid x", found.maxGridSize[0]);
  outcome("properties of device 7", cudaGetDeviceProperties(&found, 7));
  int least = 9, greatest = 9;
  outcome("priorities", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  fact("  least", least);
  fact("  greatest", greatest);
  limit("stack", cudaLimitStackSize);
  limit("heap", cudaLimitMallocHeapSize);
  limit("limit 99", cudaLimit(99));
  outcome("set stack", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  limit("stack again", cudaLimitStackSize);
  outcome("reset persisting", cudaCtxResetPersistingL2Cache());
  outcome("cache config", cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
  unsigned flags = 99;
  outcome("flags", cudaGetDeviceFlags(&flags));
  outcome("synchronize", cudaDeviceSynchronize());
  int runtime = 0;
  outcome("runtime version", cudaRuntimeGetVersion(&runtime));
  fact("  value", runtime);
  std::printf("error: %s %s\n", cudaGetErrorName(cudaErrorInvalidValue), cudaGetErrorName(cudaError_t(99999)));
  std::printf("error: %s\n", cudaGetErrorString(cudaErrorInvalidDevice));
  const char* text = nullptr;
  result("cuGetErrorName", cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
  std::printf("error: %s\n", text);
  result("cuGetErrorName 99999", cuGetErrorName(CUresult(99999), &text));
  std::printf("error: %s\n", text ? text : "null");
  result("cuInit", cuInit(0));
  CUdevice device = -1;
  result("cuDeviceGet", cuDeviceGet(&device, 0));
  result("cuDeviceGet 7", cuDeviceGet(&device, 7));
  CUcontext context = nullptr;
  result("cuCtxGetCurrent", cuCtxGetCurrent(&context));
  fact("  found", context != nullptr);
  result("cuCtxGetDevice", cuCtxGetDevice(&device));
  result("cuDeviceGetAttribute", cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  fact("  value", value);
  result("cuDeviceGetAttribute 9999", cuDeviceGetAttribute(&value, CUdevice_attribute(9999), 0));
}
