extern "C" int cublasSgemm_v2(...);
void f() { (cublasSgemm_v2)(0); }
auto pointer = &cudnnCreate;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
