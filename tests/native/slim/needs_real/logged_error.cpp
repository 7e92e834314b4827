#include <tvm/ffi/error.h>
namespace needs_logged_error {
void run() { TVM_FFI_LOG_AND_THROW(ValueError) << "told twice"; }
}  // namespace needs_logged_error
