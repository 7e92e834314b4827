#if __has_include("tvm/ffi/container/array.h")
#endif
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
