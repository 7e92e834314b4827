const char* a = "a"R"(
)";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
