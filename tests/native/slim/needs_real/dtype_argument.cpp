#include <tvm/ffi/dtype.h>
namespace needs_dtype {
void run(DLDataType, DLDevice) {}
}  // namespace needs_dtype
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_dtype, needs_dtype::run)
