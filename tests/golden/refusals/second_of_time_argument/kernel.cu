#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>
#include <ctime>

__global__ void fill(float* c, long now) { c[blockIdx.x * 256 + threadIdx.x] = now; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const long now = std::time(nullptr);
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), now);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
