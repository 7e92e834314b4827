// __global__ void kernel() {}
/* TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run); */
