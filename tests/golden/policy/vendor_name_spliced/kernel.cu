int a = cub\
lasCreate;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
