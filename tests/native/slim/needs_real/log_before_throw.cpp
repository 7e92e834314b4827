#define TVM_FFI_ALWAYS_LOG_BEFORE_THROW 1
#include <tvm/ffi/error.h>
namespace needs_log_before_throw {
void run() { TVM_FFI_THROW(ValueError) << "logged"; }
}  // namespace needs_log_before_throw
