#include <tvm/ffi/error.h>
namespace needs_own_error {
void run() { throw tvm::ffi::Error("ValueError", "built by hand", ""); }
}  // namespace needs_own_error
