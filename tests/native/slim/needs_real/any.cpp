#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>
namespace needs_any {
void run(tvm::ffi::Any value) { TVM_FFI_ICHECK(value != nullptr); }
}  // namespace needs_any
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_any, needs_any::run)
