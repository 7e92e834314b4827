#if __CUDA_ARCH__ < 900 /* one line */
#elif 1 /*
*/
#elif 2 < 3 /*
*/
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
