#include <tvm/ffi/error.h>
namespace needs_error_members {
bool same(const tvm::ffi::Error& error) { return error.kind() == error.message(); }
}  // namespace needs_error_members
