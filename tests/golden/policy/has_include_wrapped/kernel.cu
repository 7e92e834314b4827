#define HAS(x) __has_include(x)
#if HAS(<cuda.h>)
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
