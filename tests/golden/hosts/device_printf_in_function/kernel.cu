// Style: printf and assert in device functions, beside malloc and free of the device.
#include <cassert>
#include <cstdio>

#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__device__ __noinline__ int report(int where, float value) {
  assert(where >= 0);
  return printf("%d: %f\n", where, value);
}

__device__ __noinline__ float scaled(float value, int where) {
  if (isnan(value)) return static_cast<float>(report(where, value));
  return value;
}

__global__ void staged(const float* a, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* copy = static_cast<float*>(malloc(sizeof(float)));
  if (copy == nullptr) {
    printf("no memory in block %d\n", blockIdx.x);
    return;
  }
  *copy = scaled(a[i], i);
  c[i] = *copy;
  free(copy);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  staged<<<1024, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
