#include <tvm/ffi/error.h>
namespace needs_extended_precision {
void run() { TVM_FFI_THROW(ValueError) << 1.0L; }
}  // namespace needs_extended_precision
