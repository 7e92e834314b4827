#include <tvm/ffi/tvm_ffi.h>
namespace needs_optional {
void run(tvm::ffi::Optional<tvm::ffi::Tensor>) {}
}  // namespace needs_optional
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_optional, needs_optional::run)
