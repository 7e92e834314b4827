#include <tvm/ffi/container/array.h>
namespace needs_array {
size_t size() { return tvm::ffi::Array<int64_t>{1, 2}.size(); }
}  // namespace needs_array
