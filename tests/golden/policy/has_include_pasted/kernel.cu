#define CAT(a, b) a##b
#if 0 // < /*
#endif
int a = CAT(__has_, include);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
