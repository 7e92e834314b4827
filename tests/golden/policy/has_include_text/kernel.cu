int a = __has_include(<cuda.h>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
