// Style: cudaFuncGetAttributes and cuFuncGetAttribute decide block size and shared memory; carve-out and cache preference are set.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>

__global__ void __launch_bounds__(384) bounded(const float* a, float* c, int count) {
  __shared__ float fixed[1024];
  extern __shared__ float more[];
  fixed[threadIdx.x] = a[blockIdx.x];
  more[threadIdx.x] = fixed[threadIdx.x] * 2.0f;
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) c[static_cast<size_t>(blockIdx.x) * count + i] = more[(i + 1) % blockDim.x];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  cudaFuncAttributes attributes;
  TVM_FFI_ICHECK(cudaFuncGetAttributes(&attributes, bounded) == cudaSuccess);
  cudaFunction_t function;
  TVM_FFI_ICHECK(cudaGetFuncBySymbol(&function, (const void*)bounded) == cudaSuccess);
  int static_shared = 0;
  TVM_FFI_ICHECK(cuFuncGetAttribute(&static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function) == CUDA_SUCCESS);
  TVM_FFI_ICHECK_EQ(attributes.sharedSizeBytes, static_cast<size_t>(static_shared));
  TVM_FFI_ICHECK_GE(attributes.binaryVersion, 90);
  TVM_FFI_ICHECK_LE(attributes.numRegs, 255);

  cudaFuncSetCacheConfig(bounded, cudaFuncCachePreferShared);
  const int threads = std::min(attributes.maxThreadsPerBlock, 512);               // 384 by the bounds
  const int shared = std::min(attributes.maxDynamicSharedSizeBytes, 64 * 1024);  // 48 KiB less the static 4
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  bounded<<<128, threads, shared, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()), 4096);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
