// Style: cudaFuncSetAttribute before each launch, for the shared-memory limit and the carve-out.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void staged(const float4* a, float4* c) {
  extern __shared__ float4 buffer[];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) buffer[i] = a[static_cast<size_t>(blockIdx.x) * 64 + i % 64];
  __syncthreads();
  c[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = buffer[8191 - threadIdx.x];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  constexpr int smem_size = 8192 * sizeof(float4);
  cudaFuncSetAttribute(staged, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_size);
  cudaFuncSetAttribute(staged, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  staged<<<512, 512, smem_size, stream>>>(static_cast<const float4*>(a.data_ptr()), static_cast<float4*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
