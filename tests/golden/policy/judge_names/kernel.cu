int ptxboard_shim;
const char* a = "libptxboard.so";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
