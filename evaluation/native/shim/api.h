// The CUDA headers as the shim sees them: every function they declare is exported when the shim defines it.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <cstddef>
#include <cstdint>
