#include <tvm/ffi/function.h>
#include <string>
namespace needs_standard_string {
void run(std::string) {}
}  // namespace needs_standard_string
TVM_FFI_DLL_EXPORT_TYPED_FUNC(needs_standard_string, needs_standard_string::run)
