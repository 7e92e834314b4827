#include <tvm/ffi/function.h>
namespace needs_functions {
bool known() { return tvm::ffi::Function::GetGlobal("no.such.function").has_value(); }
}  // namespace needs_functions
