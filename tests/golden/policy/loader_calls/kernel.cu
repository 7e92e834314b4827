void* a = dlopen(0, 2);
auto b = (dlsym)(a, "cudnnCreate");
void* c = cuModuleLoadData;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
