#include <tvm/ffi/error.h>
#include <ostream>
namespace needs_manipulator_end {
void run() { TVM_FFI_ICHECK(false) << "line" << std::endl; }
}  // namespace needs_manipulator_end
