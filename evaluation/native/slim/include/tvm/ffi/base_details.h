// Macros of the real header that appear in kernels or in these headers, with the real meaning under gcc.
#ifndef TVM_FFI_BASE_DETAILS_H_
#define TVM_FFI_BASE_DETAILS_H_

#include <tvm/ffi/c_api.h>

#include <cstddef>

#define TVM_FFI_INLINE [[gnu::always_inline]] inline
#define TVM_FFI_NO_INLINE [[gnu::noinline]]
#define TVM_FFI_UNREACHABLE() __builtin_unreachable()
#define TVM_FFI_COLD_CODE [[gnu::cold]]
#define TVM_FFI_PREDICT_FALSE(condition) (__builtin_expect(static_cast<bool>(condition), 0))
#define TVM_FFI_PREDICT_TRUE(condition) (__builtin_expect(static_cast<bool>(condition), 1))
#define TVM_FFI_STR_CONCAT_(left, right) left##right
#define TVM_FFI_STR_CONCAT(left, right) TVM_FFI_STR_CONCAT_(left, right)
#define TVM_FFI_FUNC_SIG __PRETTY_FUNCTION__

#endif  // TVM_FFI_BASE_DETAILS_H_
