#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1
#include <tvm/ffi/function.h>
namespace needs_metadata {
void run() {}
}  // namespace needs_metadata
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_metadata, needs_metadata::run)
