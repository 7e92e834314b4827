#define GIVE(x) x
GIVE(#) if 0
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
