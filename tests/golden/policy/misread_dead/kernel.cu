#if 0
don't use C:\path, see bug #12 or #define
#if 1
foo"bar
#endif
#endif
#error don't
#warning C:\path
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
