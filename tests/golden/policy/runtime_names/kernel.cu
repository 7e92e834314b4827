extern "C" void __cudaRegisterFatBinary(void*) {}
extern "C" void __gmon_start__() {}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
