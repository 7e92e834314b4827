#include <tvm/ffi/error.h>
#include <ios>
namespace needs_manipulator_function {
void run() { TVM_FFI_THROW(ValueError) << std::hex << 255; }
}  // namespace needs_manipulator_function
