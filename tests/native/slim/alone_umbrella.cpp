#include <tvm/ffi/tvm_ffi.h>

void run(tvm::ffi::TensorView x) { TVM_FFI_CHECK(x.dtype() == (DLDataType{kDLBfloat, 16, 1}), TypeError); }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)
