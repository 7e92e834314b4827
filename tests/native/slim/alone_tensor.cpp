#include <tvm/ffi/container/tensor.h>

void run(tvm::ffi::TensorView x) {
  TVM_FFI_ICHECK_EQ(x.ndim(), 2);
  if (x.dtype() != DLDataType{kDLBfloat, 16, 1}) TVM_FFI_THROW(TypeError) << "bf16 only";
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)
