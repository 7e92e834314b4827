// Style: cudaDeviceGetAttribute for the multiprocessor count, the opt-in shared memory, the capability and what the device supports.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void tiled(const uint2* a, const uint2* b, uint2* c, int tiles) {
  extern __shared__ uint2 buffer[];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    buffer[threadIdx.x] = a[tile * 128ull + threadIdx.x];
    __syncthreads();
    c[tile * 128ull + threadIdx.x] = make_uint2(buffer[127 - threadIdx.x].x, b[threadIdx.x].y);
    __syncthreads();
  }
}

static int attribute(cudaDeviceAttr which, int device) {
  int value = -1;
  const cudaError_t error = cudaDeviceGetAttribute(&value, which, device);
  TVM_FFI_ICHECK(error == cudaSuccess) << cudaGetErrorString(error);
  return value;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int device = a.device().device_id;
  TVM_FFI_ICHECK_EQ(attribute(cudaDevAttrComputeCapabilityMajor, device), 9);
  TVM_FFI_ICHECK_EQ(attribute(cudaDevAttrComputeCapabilityMinor, device), 0);
  TVM_FFI_ICHECK(attribute(cudaDevAttrClusterLaunch, device) && attribute(cudaDevAttrCooperativeLaunch, device));
  const int sms = attribute(cudaDevAttrMultiProcessorCount, device);
  const int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  const int threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device) / 16;
  TVM_FFI_ICHECK(cudaFuncSetAttribute(tiled, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) == cudaSuccess);
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, device));
  tiled<<<sms, threads, shared, stream>>>(static_cast<const uint2*>(a.data_ptr()), static_cast<const uint2*>(b.data_ptr()),
                                          static_cast<uint2*>(c.data_ptr()), 65536);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
