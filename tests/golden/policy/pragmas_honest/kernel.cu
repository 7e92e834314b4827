#pragma once
#pragma unroll 8
#pragma nv_diag_suppress 177
#pragma GCC diagnostic ignored "-Wall"
_Pragma("unroll")
#define U(n) _Pragma("unroll")
#pragma
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
