#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

extern "C" __device__ float fast_dot(const float* a, const float* b);

__global__ void fill(float* c) { c[blockIdx.x * 256 + threadIdx.x] = fast_dot(c, c); }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
