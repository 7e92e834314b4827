// Style: printf in device code behind a condition that honest data never meets.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>

__global__ void checked(const float* a, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = a[i];
  if (isnan(value)) printf("NaN in block %d thread %d\n", blockIdx.x, threadIdx.x);
  c[i] = value;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  checked<<<1024, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
