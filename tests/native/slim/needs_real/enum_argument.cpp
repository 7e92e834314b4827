#include <tvm/ffi/function.h>
namespace needs_enum {
enum Mode { one, two };
void run(Mode) {}
}  // namespace needs_enum
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_enum, needs_enum::run)
