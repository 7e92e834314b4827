const char* a = __TIME__;
const char* b = __DATE__ __TIMESTAMP__;
const char* c = __FILE__;
int d = __LINE__;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
