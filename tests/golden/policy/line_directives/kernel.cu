#line 7 "other.cu"
# 8 "other.cu"
#define EMPTY
EMPTY # 9 "x"
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
