// Comparison of data types; the real header also prints and parses them.
#ifndef TVM_FFI_DTYPE_H_
#define TVM_FFI_DTYPE_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

inline bool operator==(const DLDataType& left, const DLDataType& right) {
  return left.code == right.code && left.bits == right.bits && left.lanes == right.lanes;
}
inline bool operator!=(const DLDataType& left, const DLDataType& right) { return !(left == right); }

#endif  // TVM_FFI_DTYPE_H_
