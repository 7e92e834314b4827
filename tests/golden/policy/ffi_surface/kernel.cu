int a = TVMFFIFunctionSetGlobal(0, 0, 1);
int b = TVMFFIEnvSetStream(2, 0, 0, 0);
auto c = TVMFFIEnvGetStream(2, 0);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
