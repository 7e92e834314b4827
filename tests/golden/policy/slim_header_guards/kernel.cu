#include <tvm/ffi/tvm_ffi.h>
#ifdef TVM_FFI_CONTAINER_ARRAY_H_
#endif
#ifndef DLPACK_DLPACK_H_
#define TVM_FFI_FUNCTION_H_
#endif
#ifdef TVM_FFI_ICHECK
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
