#include <tvm/ffi/tvm_ffi.h>
namespace needs_any_view {
void run(tvm::ffi::AnyView) {}
}  // namespace needs_any_view
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_any_view, needs_any_view::run)
