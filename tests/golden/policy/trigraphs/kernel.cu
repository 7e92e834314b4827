int a = 1 ??! 2;
// why??!
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
