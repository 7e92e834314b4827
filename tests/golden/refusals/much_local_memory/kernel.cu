#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c, int n) {
  volatile char room[40 << 10];
  for (int i = 0; i < n; i++) room[c[i] > 0.0f ? i : n] = 1;
  c[blockIdx.x * 256 + threadIdx.x] = room[n];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), 7);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
