const char* a = R"0123456789abcdefg(x)0123456789abcdefg";
const char* b = R" (x) ";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
