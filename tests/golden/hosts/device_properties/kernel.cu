// Style: cudaGetDeviceProperties, kept in a static; the grid from the number of multiprocessors, the stages from the shared memory.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>

__global__ void persistent(const uint4* a, uint4* c, int tiles) {
  extern __shared__ uint4 stage[];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    stage[threadIdx.x] = a[tile * 256ull + threadIdx.x];
    __syncthreads();
    c[tile * 256ull + threadIdx.x] = stage[255 - threadIdx.x];
    __syncthreads();
  }
}

static const cudaDeviceProp& properties() {
  static cudaDeviceProp prop;
  static bool loaded = false;
  if (!loaded) {
    int device = 0;
    cudaGetDevice(&device);
    TVM_FFI_ICHECK(cudaGetDeviceProperties(&prop, device) == cudaSuccess);
    loaded = true;
  }
  return prop;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const cudaDeviceProp& prop = properties();
  TVM_FFI_ICHECK(prop.major >= 9) << "needs Hopper, this is " << prop.name;
  TVM_FFI_ICHECK(prop.warpSize == 32 && prop.maxThreadsPerBlock >= 256 && std::strlen(prop.name) > 0);
  const int stages = static_cast<int>(prop.sharedMemPerBlockOptin / 49152);  // 227 KiB: four
  cudaFuncSetAttribute(persistent, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * 49152);
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  persistent<<<prop.multiProcessorCount, 256, stages * 49152, stream>>>(static_cast<const uint4*>(a.data_ptr()),
                                                                        static_cast<uint4*>(c.data_ptr()), 8192);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
