// Kernels as objects: handles and attributes.
#pragma once

#include "state.h"

namespace ptxboard {

// The handle of a registered kernel; the runtime's code and last error where there is none.
cudaError_t handle_of(const void* host, void** handle);

}  // namespace ptxboard
