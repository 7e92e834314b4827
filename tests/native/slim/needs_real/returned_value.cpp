#include <tvm/ffi/function.h>
namespace needs_return {
int64_t run(int64_t x) { return x; }
}  // namespace needs_return
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_return, needs_return::run)
