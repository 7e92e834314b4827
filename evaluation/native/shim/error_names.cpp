// Error getters and the names of errors.
#include "api.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

struct Named {
  int code;
  const char* name;
  const char* text;
};

constexpr Named runtime_errors[] = {
#define RUNTIME_ERROR(code, name, text) {code, name, text},
#define DRIVER_ERROR(code, name, text)
#include "errors.inc"
#undef RUNTIME_ERROR
#undef DRIVER_ERROR
};

constexpr Named driver_errors[] = {
#define RUNTIME_ERROR(code, name, text)
#define DRIVER_ERROR(code, name, text) {code, name, text},
#include "errors.inc"
#undef RUNTIME_ERROR
#undef DRIVER_ERROR
};

template <std::size_t count>
const Named* look_up(const Named (&errors)[count], int code) {
  for (Named const& one : errors) {
    if (one.code == code) return &one;
  }
  return nullptr;
}

constexpr const char* unknown = "unrecognized error code";

CUresult tell(const Named* found, const char* Named::*part, const char** into) {
  if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *into = found != nullptr ? found->*part : nullptr;
  return found != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  cudaError_t const code = state().last_error;
  state().last_error = cudaSuccess;
  return code;
}

cudaError_t cudaPeekAtLastError() { return state().last_error; }

const char* cudaGetErrorName(cudaError_t code) {
  const Named* const found = look_up(runtime_errors, static_cast<int>(code));
  return found != nullptr ? found->name : unknown;
}

const char* cudaGetErrorString(cudaError_t code) {
  const Named* const found = look_up(runtime_errors, static_cast<int>(code));
  return found != nullptr ? found->text : unknown;
}

CUresult cuGetErrorName(CUresult code, const char** into) {
  return tell(look_up(driver_errors, static_cast<int>(code)), &Named::name, into);
}

CUresult cuGetErrorString(CUresult code, const char** into) {
  return tell(look_up(driver_errors, static_cast<int>(code)), &Named::text, into);
}

}  // extern "C"

#pragma GCC visibility pop
