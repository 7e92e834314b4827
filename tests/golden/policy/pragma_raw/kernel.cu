_Pragma(R"(once)")
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
