#include <tvm/ffi/error.h>
#include <ostream>
namespace needs_stream_operator {
struct Shown {};
std::ostream& operator<<(std::ostream& stream, Shown) { return stream << "shown"; }
void run() { TVM_FFI_THROW(ValueError) << Shown(); }
}  // namespace needs_stream_operator
