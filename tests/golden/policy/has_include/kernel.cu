#if defined(__has_include) && __has_include(<cuda_fp4.h>)
#elif __has_include ( "cublas_v2.h" )
#endif
#ifdef __has_include
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
