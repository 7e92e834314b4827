#include <cuda_runtime.h>;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
