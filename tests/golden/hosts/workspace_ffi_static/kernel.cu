// Style: the workspace is a tvm::ffi::Tensor from the environment's allocator, made once and kept in a static.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void halves(const float* a, float* buffer) { buffer[blockIdx.x * blockDim.x + threadIdx.x] = a[blockIdx.x * blockDim.x + threadIdx.x] * 0.5f; }
__global__ void doubles(const float* buffer, float* c) { c[blockIdx.x * blockDim.x + threadIdx.x] = buffer[blockIdx.x * blockDim.x + threadIdx.x] * 2.0f; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static tvm::ffi::Tensor buffer =
      tvm::ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {1024, 2048}, DLDataType{kDLFloat, 32, 1}, a.device());
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  float* memory = static_cast<float*>(buffer.data_ptr());
  halves<<<2048, 1024, 0, stream>>>(static_cast<const float*>(a.data_ptr()), memory);
  doubles<<<2048, 1024, 0, stream>>>(memory, static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
