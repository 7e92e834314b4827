#include <tvm/ffi/dtype.h>

void run(DLTensor* x) { TVM_FFI_ICHECK(x->dtype == (DLDataType{kDLBfloat, 16, 1})) << "bf16 only"; }

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)
