// Style: cudaOccupancyMaxActiveClusters decides how many clusters of two a persistent kernel starts.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void __launch_bounds__(384, 1) clustered(const uint4* a, uint4* c, int tiles) {
  extern __shared__ uint4 stage[];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    stage[threadIdx.x] = a[tile * 384ull + threadIdx.x];
    __syncthreads();
    c[tile * 384ull + threadIdx.x] = stage[383 - threadIdx.x];
    __syncthreads();
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  constexpr int kShared = 200 * 1024;
  TVM_FFI_ICHECK(cudaFuncSetAttribute(clustered, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared) == cudaSuccess);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(384);
  config.dynamicSmemBytes = kShared;
  config.stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  TVM_FFI_ICHECK(cudaOccupancyMaxActiveClusters(&clusters, clustered, &config) == cudaSuccess);
  config.gridDim = dim3(2 * clusters);
  const cudaError_t error = cudaLaunchKernelEx(&config, clustered, static_cast<const uint4*>(a.data_ptr()),
                                               static_cast<uint4*>(c.data_ptr()), 4096);
  TVM_FFI_ICHECK(error == cudaSuccess) << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
