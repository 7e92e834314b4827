#include <tvm/ffi/function.h>
namespace needs_static_init {
int started = 0;
TVM_FFI_STATIC_INIT_BLOCK() { started = 1; }
}  // namespace needs_static_init
