__global__ void k() { child<<<1, 1, 0, cudaStreamFireAndForget>>>(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
