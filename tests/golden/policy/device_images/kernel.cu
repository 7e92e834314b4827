const char* a = "\x7f" "ELF";
const char* b = ".version 8.0\n.target sm_90a";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
