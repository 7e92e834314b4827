// Limits of the device: what sets them and what they are then.
#pragma once

#include "kernels.h"

inline void limited(const char* name, int which, size_t value) {
  outcome(name, cudaDeviceSetLimit(cudaLimit(which), value));
  size_t found = 99;
  outcome("  asked", cudaDeviceGetLimit(&found, cudaLimit(which)));
  fact("  value", (long long)found);
}

void report_limits() {
  topic = "limit";
  limited("stack 4096", cudaLimitStackSize, 4096);
  limited("stack 4097", cudaLimitStackSize, 4097);
  limited("stack 5000", cudaLimitStackSize, 5000);
  limited("stack 64 KiB", cudaLimitStackSize, 64 << 10);
  limited("stack 512", cudaLimitStackSize, 512);
  limited("stack 1", cudaLimitStackSize, 1);
  limited("stack 0", cudaLimitStackSize, 0);
  limited("heap 64 MiB", cudaLimitMallocHeapSize, 64 << 20);
  limited("heap 10,000,001", cudaLimitMallocHeapSize, 10000001);
  limited("heap 1 MiB", cudaLimitMallocHeapSize, 1 << 20);
  limited("heap 0", cudaLimitMallocHeapSize, 0);
  limited("limit 99", 99, 1);
  limited("limit -1", -1, 1);
  limited("nesting depth", cudaLimitDevRuntimeSyncDepth, 2);
  size_t value = 99;
  outcome("limit 7", cudaDeviceGetLimit(&value, cudaLimit(7)));
  fact("  value", (long long)value);
  outcome("limit 8", cudaDeviceGetLimit(&value, cudaLimit(8)));
  fact("  value", (long long)value);
  outcome("limit 9", cudaDeviceGetLimit(&value, cudaLimit(9)));
  outcome("limit 10", cudaDeviceGetLimit(&value, cudaLimit(10)));
  outcome("into nothing", cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
  result("cuCtxSetLimit", cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
  result("cuCtxGetLimit", cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  fact("  value", (long long)value);
  result("cuCtxSetLimit 99", cuCtxSetLimit(CUlimit(99), 2048));
}
