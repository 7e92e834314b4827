// Style: two static workspaces that calls use in turn, so that a call need not wait for the one before (L14).
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void write_sums(const float* a, float* sums) { sums[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x]; }

__global__ void read_sums(const float* sums, float* c) { c[blockIdx.x * 256 + threadIdx.x] = sums[blockIdx.x * 256 + threadIdx.x]; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static float* buffers[2] = {nullptr, nullptr};
  static int turn = 0;
  for (float*& one : buffers) {
    if (one == nullptr) cudaMalloc(&one, 1048576);
  }
  turn ^= 1;
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  cudaMemsetAsync(buffers[turn], 0, 1048576, stream);
  write_sums<<<1024, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), buffers[turn]);
  read_sums<<<1024, 256, 0, stream>>>(buffers[turn], static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
