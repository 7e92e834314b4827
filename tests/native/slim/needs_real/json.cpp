#include <tvm/ffi/extra/json.h>
namespace needs_json {
void run() { tvm::ffi::json::Parse("[]"); }
}  // namespace needs_json
