// Style: the host waits before and after: cudaStreamSynchronize, cudaDeviceSynchronize, an event without timing, cudaStreamQuery.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void negate(const float* in, float* out) { out[blockIdx.x * 128 + threadIdx.x] = -in[blockIdx.x * 128 + threadIdx.x]; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  static cudaEvent_t done = nullptr;
  if (done == nullptr) cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  negate<<<2048, 128, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()));
  cudaStreamSynchronize(stream);
  negate<<<2048, 128, 0, stream>>>(static_cast<const float*>(c.data_ptr()), static_cast<float*>(c.data_ptr()));
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {
  }
  cudaError_t err = cudaDeviceSynchronize();
  if (err != cudaSuccess) TVM_FFI_THROW(RuntimeError) << "kernel failed: " << cudaGetErrorString(err);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
