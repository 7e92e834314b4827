#include <tvm/ffi/tvm_ffi.h>
namespace needs_string {
size_t size() { return tvm::ffi::String("a").size(); }
}  // namespace needs_string
