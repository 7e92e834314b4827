// With NDEBUG the debug checks are gone, and what they would evaluate with them.
#define NDEBUG
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace {

void gone(int64_t x) {
  TVM_FFI_DCHECK(++x == 0) << "told";
  TVM_FFI_DCHECK_EQ(++x, 0) << "told";
  TVM_FFI_DCHECK_LT(++x, 0) << "told";
  int64_t const* const pointer = TVM_FFI_DCHECK_NOTNULL(&x);
  TVM_FFI_CHECK_EQ(*pointer, 0, ValueError) << "kept";
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(gone, gone)
