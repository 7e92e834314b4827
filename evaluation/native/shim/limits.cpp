// Device limits. Those of the stack of a thread and of the heap that kernels allocate from are part of a plan; the stack is
// capped, so that its memory stays within what a plan may take. Roundings and codes as measured on an H200.
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

constexpr std::uint64_t stack_cap = 64 << 10;
constexpr std::uint64_t stack_unit = 16;
constexpr std::uint64_t heap_unit = 64 << 10;
constexpr std::uint64_t least_heap = 4 << 20;
constexpr std::uint64_t most_heap = std::uint64_t{1} << 62;  // so that rounding does not wrap; no device has it

// Numbers that the headers of CUDA 13.0 do not name, and the driver knows.
constexpr int shared_limit = 7;
constexpr int graphics_limit = 8;
constexpr int graphics_fallback_limit = 9;

std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

void write(const char* what, std::uint64_t bytes) { Line("limit").text("what", what).number("bytes", bytes); }

cudaError_t set(const char* call, int limit, std::uint64_t value) {
  State& all = state();
  switch (limit) {
    case cudaLimitStackSize:
      if (value > stack_cap) remark("limit_capped", call);
      all.stack_limit = value > stack_cap ? stack_cap : up(value, stack_unit);
      all.stack_was_set = true;
      write("stack", all.stack_limit);
      return cudaSuccess;
    case cudaLimitMallocHeapSize:
      if (value > most_heap) return cudaErrorInvalidValue;
      all.heap_limit = value < least_heap ? least_heap : up(value, heap_unit);
      all.heap_was_set = true;
      write("heap", all.heap_limit);
      return cudaSuccess;
    case cudaLimitPrintfFifoSize:
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitMaxL2FetchGranularity:
    case cudaLimitPersistingL2CacheSize:
      remark("limit_dropped", call);
      return cudaSuccess;
    case cudaLimitDevRuntimeSyncDepth:
    case graphics_fallback_limit:
      return cudaErrorUnsupportedLimit;
    case shared_limit:
    case graphics_limit:
      return cudaErrorNotPermitted;
    default:
      return cudaErrorInvalidValue;
  }
}

// What host code has set itself is no question to the device.
cudaError_t get(const char* call, int limit, std::size_t* into) {
  if (into == nullptr) return cudaErrorInvalidValue;
  State const& all = state();
  bool is_own = false;
  switch (limit) {
    case cudaLimitStackSize:
      *into = all.stack_limit;
      is_own = all.stack_was_set;
      break;
    case cudaLimitMallocHeapSize:
      *into = all.heap_limit;
      is_own = all.heap_was_set;
      break;
    case shared_limit:
      *into = all.brief.device.value(attribute_shared_optin);
      break;
    case graphics_limit:
      *into = 0;
      break;
    case cudaLimitPersistingL2CacheSize:
    case cudaLimitPrintfFifoSize:
    case cudaLimitDevRuntimePendingLaunchCount:
    case cudaLimitMaxL2FetchGranularity:
      refuse(call, "limit %d is not in the device table", limit);
    case cudaLimitDevRuntimeSyncDepth:
    case graphics_fallback_limit:
      return cudaErrorUnsupportedLimit;
    default:
      return cudaErrorInvalidValue;
  }
  if (!is_own) Query(call).ask(limit).answer(static_cast<std::int64_t>(*into));
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
