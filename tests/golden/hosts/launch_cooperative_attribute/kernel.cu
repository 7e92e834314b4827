// Style: cooperative launch through a launch attribute of cudaLaunchKernelEx; the kernel has its own grid barrier.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__device__ unsigned arrived;  // counts on from call to call: each call adds one grid

__global__ void __launch_bounds__(512, 1) persistent(const uint2* a, const uint2* b, uint2* c, int tiles) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    const unsigned ticket = atomicAdd(&arrived, 1u);
    const unsigned goal = (ticket / gridDim.x + 1) * gridDim.x;
    while (*static_cast<volatile unsigned*>(&arrived) < goal) __nanosleep(64);
  }
  __syncthreads();
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const size_t i = static_cast<size_t>(tile) * blockDim.x + threadIdx.x;
    c[i] = make_uint2(a[i].x ^ b[i].x, a[i].y);
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static const int sms = [] {
    int count = 0;
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
    return count;
  }();
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(sms);
  config.blockDim = dim3(512);
  config.dynamicSmemBytes = 0;
  config.stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  config.attrs = &attribute;
  config.numAttrs = 1;
  TVM_FFI_ICHECK_EQ(static_cast<int>(cudaLaunchKernelEx(
                        &config, persistent, static_cast<const uint2*>(a.data_ptr()),
                        static_cast<const uint2*>(b.data_ptr()), static_cast<uint2*>(c.data_ptr()), 16384)),
                    0);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
