const char a[] = {
#embed "/etc/passwd"
};
#if __has_embed("x")
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
