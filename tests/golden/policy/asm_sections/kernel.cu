asm(".pushsection .init_array\n.popsection");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
