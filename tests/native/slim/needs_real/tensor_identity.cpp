#include <tvm/ffi/container/tensor.h>
namespace needs_tensor_identity {
bool run(const tvm::ffi::Tensor& x, const tvm::ffi::Tensor& y) { return x.same_as(y) && x.use_count() > 0; }
}  // namespace needs_tensor_identity
