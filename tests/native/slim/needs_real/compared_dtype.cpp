#include <tvm/ffi/container/tensor.h>
namespace needs_compared_dtype {
void run(tvm::ffi::TensorView x, tvm::ffi::TensorView y) { TVM_FFI_ICHECK_EQ(x.dtype(), y.dtype()); }
}  // namespace needs_compared_dtype
