#if __has_include("/etc/passwd")
#endif
#if __has_include_next(<../x>)
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
