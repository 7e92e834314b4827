// Handles and attributes of kernels. Which values are accepted was measured on an H200 (CUDA 13.0, driver 580).
#include "functions.h"

#include <algorithm>

#include "api.h"
#include "checks.h"
#include "device.h"
#include "ending.h"
#include "errors.h"
#include "journal.h"
#include "queries.h"

namespace ptxboard {
namespace {

// What most calls return for an address that is no kernel.
cudaError_t missing(const void* asked) {
  return asked == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
}

bool is_fixed(const KernelFacts& facts) { return facts.cluster[0] != 0; }

// The place a value is kept at, or null where the attribute cannot take it.
int* accepted(Function* function, int attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      std::uint64_t const most = state().brief.device.value(attribute_shared_optin);
      bool const fits = value >= 0 && static_cast<std::uint64_t>(value) + function->facts->static_shared <= most;
      function->shared_was_set |= fits;
      return fits ? &function->max_dynamic_shared : nullptr;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      return value >= -1 && value <= 100 ? &function->carveout : nullptr;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
      if (is_fixed(*function->facts) || value < 0) return nullptr;
      return &function->cluster[attribute - cudaFuncAttributeRequiredClusterWidth];
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      return &function->non_portable;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return value >= 0 && value <= cudaClusterSchedulingPolicyLoadBalancing ? &function->cluster_policy : nullptr;
    default:
      return nullptr;
  }
}

cudaError_t set_attribute(const char* call, const void* asked, int attribute, int value) {
  Function* const function = function_of(asked);
  if (function == nullptr) return missing(asked);
  if (function->facts == nullptr) refuse(call, "the kernel is not in the cubin that the judge compiled");
  int* const place = accepted(function, attribute, value);
  if (place == nullptr) return cudaErrorInvalidValue;
  *place = attribute == cudaFuncAttributeNonPortableClusterSizeAllowed ? value != 0 : value;
  Line("attribute").text("function", function->name).number("attribute", static_cast<unsigned>(attribute)).integer("value", value);
  return cudaSuccess;
}

int binary_version() { return static_cast<int>(state().brief.sm); }

// Bytes of all __constant__ variables, which the runtime reports for every kernel of the module.
std::uint64_t constant_bytes() {
  std::uint64_t sum = 0;
  for (SymbolFacts const& one : state().brief.symbols) sum += one.constant ? one.size : 0;
  return sum;
}

int cluster_size(const Function& function, int axis) {
  std::uint32_t const fixed = function.facts->cluster[axis];
  return fixed != 0 ? static_cast<int>(fixed) : function.cluster[axis];
}

// The value of a driver attribute, -1 for an unknown number.
std::int64_t attribute_value(const Function& function, int attribute) {
  KernelFacts const& facts = *function.facts;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return threads_limit(facts);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return facts.static_shared;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<std::int64_t>(constant_bytes());
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return facts.local;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return facts.registers;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return binary_version();
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return static_cast<std::int64_t>(dynamic_shared_limit(function));
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return function.carveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return is_fixed(facts);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return cluster_size(function, 0);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return cluster_size(function, 1);
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return cluster_size(function, 2);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return function.non_portable;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return function.cluster_policy;
    default:
      return INT64_MIN;
  }
}

}  // namespace

cudaError_t handle_of(const void* host, void** handle) {
  Function const* const function = function_of(host);
  if (function == nullptr) return failed(cudaErrorInvalidDeviceFunction);
  if (handle == nullptr) return failed(cudaErrorInvalidValue);
  *handle = function->handle;
  return cudaSuccess;
}

}  // namespace ptxboard

#pragma GCC visibility push(default)

using namespace ptxboard;

extern "C" {

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  cudaError_t const code = set_attribute("cudaFuncSetAttribute", function, static_cast<int>(attribute), value);
  return code == cudaSuccess ? code : failed(code);
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return driver_code(set_attribute("cuFuncSetAttribute", function, static_cast<int>(attribute), value));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* into, const void* asked) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  Function const* const function = function_of(asked);
  if (function == nullptr) return failed(missing(asked));
  if (function->facts == nullptr) refuse("cudaFuncGetAttributes", "the kernel is not in the cubin that the judge compiled");
  auto value = [function](int attribute) { return static_cast<int>(attribute_value(*function, attribute)); };
  *into = cudaFuncAttributes{};
  into->sharedSizeBytes = function->facts->static_shared;
  into->constSizeBytes = constant_bytes();
  into->localSizeBytes = function->facts->local;
  into->maxThreadsPerBlock = value(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  into->numRegs = value(CU_FUNC_ATTRIBUTE_NUM_REGS);
  into->ptxVersion = value(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  into->binaryVersion = value(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  into->maxDynamicSharedSizeBytes = value(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  into->preferredShmemCarveout = value(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  into->clusterDimMustBeSet = value(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  into->requiredClusterWidth = value(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  into->requiredClusterHeight = value(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  into->requiredClusterDepth = value(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  into->clusterSchedulingPolicyPreference = value(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  into->nonPortableClusterSizeAllowed = value(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  Query("cudaFuncGetAttributes").ask(function->name).answer(into->maxThreadsPerBlock).answer(into->numRegs).answer(into->maxDynamicSharedSizeBytes);
  return cudaSuccess;
}

CUresult cuFuncGetAttribute(int* into, CUfunction_attribute attribute, CUfunction asked) {
  Function const* const function = asked == nullptr ? nullptr : function_of(asked);
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (function->facts == nullptr) refuse("cuFuncGetAttribute", "the kernel is not in the cubin that the judge compiled");
  std::int64_t const value = attribute_value(*function, static_cast<int>(attribute));
  if (into == nullptr || value == INT64_MIN) return CUDA_ERROR_INVALID_VALUE;
  *into = static_cast<int>(value);
  Query("cuFuncGetAttribute").ask(function->name).ask(static_cast<int>(attribute)).answer(value);
  return CUDA_SUCCESS;
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return failed(cudaErrorInvalidValue);
  if (function_of(function) == nullptr) return failed(missing(function));
  remark("cache_config_dropped", "cudaFuncSetCacheConfig");
  return cudaSuccess;
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  if (config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL) return CUDA_ERROR_INVALID_VALUE;
  if (function_of(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  remark("cache_config_dropped", "cuFuncSetCacheConfig");
  return CUDA_SUCCESS;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* into, const void* host) {
  return handle_of(host, reinterpret_cast<void**>(into));
}

cudaError_t cudaGetKernel(cudaKernel_t* into, const void* host) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  return handle_of(host, reinterpret_cast<void**>(into));
}

CUresult cuKernelGetFunction(CUfunction* into, CUkernel kernel) {
  Function const* const function = kernel == nullptr ? nullptr : function_of(kernel);
  if (function == nullptr || into == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *into = static_cast<CUfunction>(function->handle);
  return CUDA_SUCCESS;
}

cudaError_t cudaFuncGetName(const char** into, const void* asked) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  Function const* const function = function_of(asked);
  if (function == nullptr) return failed(missing(asked));
  *into = function->name.data;
  return cudaSuccess;
}

}  // extern "C"

#pragma GCC visibility pop
