#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__attribute__((noinline)) static int dive(volatile int n) {
  volatile char room[4096];
  room[n & 4095] = 1;
  return dive(n + 1) + room[0];
}

__global__ void fill(float* c, int depth) { c[blockIdx.x * 256 + threadIdx.x] = depth; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int depth = dive(1);
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), depth);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
