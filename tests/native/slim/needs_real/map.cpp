#include <tvm/ffi/container/map.h>
#include <tvm/ffi/string.h>
namespace needs_map {
size_t size() { return tvm::ffi::Map<tvm::ffi::String, int64_t>{{"a", 1}}.size(); }
}  // namespace needs_map
