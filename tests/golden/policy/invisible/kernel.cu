int a‮ = 1; // ⁦
int café = 2;
int b​;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
