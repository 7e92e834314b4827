int a = cubl\u0061sCreate;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
