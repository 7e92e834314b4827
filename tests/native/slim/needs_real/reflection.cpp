#include <tvm/ffi/reflection/registry.h>
namespace needs_reflection {
void registered() { tvm::ffi::reflection::GlobalDef().def("needs.reflection", [](int64_t x) { return x; }); }
}  // namespace needs_reflection
