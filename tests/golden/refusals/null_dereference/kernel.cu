#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c, int found) { c[blockIdx.x * 256 + threadIdx.x] = found; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const volatile int* missing = nullptr;
  const int found = *missing;
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), found);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
