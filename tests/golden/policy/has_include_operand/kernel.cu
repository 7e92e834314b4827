#define NAME <cuda.h>
#if __has_include(NAME)
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
