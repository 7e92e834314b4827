#include <tvm/ffi/function.h>

void run(int64_t x) { TVM_FFI_CHECK_EQ(x, 1, ValueError); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)
