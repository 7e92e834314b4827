#include <tvm/ffi/error.h>
#include <iomanip>
namespace needs_manipulator_object {
void run() { TVM_FFI_THROW(ValueError) << std::setw(8) << 255; }
}  // namespace needs_manipulator_object
