#include <tvm/ffi/container/tensor.h>
namespace needs_strided_view {
tvm::ffi::TensorView run(tvm::ffi::TensorView x) { return x.as_strided(x.shape(), x.strides(), 1); }
}  // namespace needs_strided_view
