#pragma GCC optimize("O0")
#pragma weak a
_Pragma("GCC dependency \"x\"")
#define P _Pragma("redefine_extname a b")
#define Q(x) _Pragma(#x)
Q(GCC poison y)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
