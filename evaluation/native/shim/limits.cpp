// Device limits. Only the stack of a thread matters to a kernel that may be recorded; it is capped, so that its memory
// stays within what a plan may take.
#include "api.h"
#include "ending.h"
#include "errors.h"
#include "journal.h"
#include "queries.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr std::size_t stack_cap = 64 << 10;
constexpr std::size_t stack_unit = 16;

cudaError_t set(const char* call, int limit, std::size_t value) {
  if (limit == cudaLimitStackSize) {
    if (value > stack_cap) remark("limit_capped", call);
    std::size_t const kept = value > stack_cap ? stack_cap : value;
    state().stack_limit = (kept + stack_unit - 1) / stack_unit * stack_unit;
    return cudaSuccess;
  }
  if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
  if (limit < 0 || limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
  remark("limit_dropped", call);
  return cudaSuccess;
}

// Values of a fresh context, as measured on an H200.
cudaError_t get(const char* call, int limit, std::size_t* into) {
  if (into == nullptr) return cudaErrorInvalidValue;
  switch (limit) {
    case cudaLimitStackSize:
      *into = state().stack_limit;
      return cudaSuccess;
    case cudaLimitMallocHeapSize:
      *into = 8 << 20;
      break;
    case cudaLimitPersistingL2CacheSize:
    case cudaLimitPrintfFifoSize:
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitMaxL2FetchGranularity:
      refuse(call, "limit %d is not in the device table", limit);
    case cudaLimitDevRuntimeSyncDepth:
      return cudaErrorUnsupportedLimit;
    default:
      return cudaErrorInvalidValue;
  }
  Query(call).ask(limit).answer(static_cast<std::int64_t>(*into));
  return cudaSuccess;
}

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

}  // namespace

extern "C" {

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return report(set("cudaDeviceSetLimit", static_cast<int>(limit), value));
}

cudaError_t cudaDeviceGetLimit(std::size_t* into, cudaLimit limit) {
  return report(get("cudaDeviceGetLimit", static_cast<int>(limit), into));
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  return driver_code(set("cuCtxSetLimit", static_cast<int>(limit), value));
}

CUresult cuCtxGetLimit(std::size_t* into, CUlimit limit) {
  return driver_code(get("cuCtxGetLimit", static_cast<int>(limit), into));
}

}  // extern "C"

#pragma GCC visibility pop
