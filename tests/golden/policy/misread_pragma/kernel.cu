#pragma one \/**/
#pragma two 't
_Pragma("three \\")
#define P _Pragma("four \"")
_Pragma("message(\"five\")")
_Pragma(six)
_Pragma
#pragma seven "a\\"
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
