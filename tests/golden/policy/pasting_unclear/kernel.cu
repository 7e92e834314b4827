#define CAT(a, b) a##b
int a = CAT(x y, z w);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
