#include <tvm/ffi/container/tensor.h>
namespace needs_owned_tensor {
void run(tvm::ffi::Tensor) {}
}  // namespace needs_owned_tensor
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_owned_tensor, needs_owned_tensor::run)
