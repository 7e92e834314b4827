#define TAIL "blas.so.13"
const char* a = "lib" /* */ "cu"
  TAIL;
const char* b = "\x6c\151\u0062cudnn" "_ops";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
