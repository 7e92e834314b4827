#include <tvm/ffi/container/tensor.h>
namespace needs_printed_shape {
void run(tvm::ffi::TensorView x) { TVM_FFI_THROW(ValueError) << "not " << tvm::ffi::Shape(x.shape()); }
}  // namespace needs_printed_shape
