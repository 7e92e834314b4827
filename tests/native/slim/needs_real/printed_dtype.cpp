#include <tvm/ffi/container/tensor.h>
namespace needs_printed_dtype {
void run(tvm::ffi::TensorView x) { TVM_FFI_THROW(TypeError) << "not " << x.dtype(); }
}  // namespace needs_printed_dtype
