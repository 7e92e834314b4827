// Error codes of runtime and driver.
#pragma once

#include "api.h"

namespace ptxboard {

// Driver and runtime share the numbers of the errors that the shim returns.
inline CUresult driver_code(cudaError_t code) { return static_cast<CUresult>(code); }

}  // namespace ptxboard
