#include <tvm/ffi/function.h>
namespace needs_pointer {
void run(void*) {}
}  // namespace needs_pointer
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_pointer, needs_pointer::run)
