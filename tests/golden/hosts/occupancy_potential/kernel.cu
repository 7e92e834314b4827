// Style: block and grid from cudaOccupancyMaxPotentialBlockSize.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void __launch_bounds__(512) grid_stride(const float* a, float* c, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) c[i] = a[i] * 2.0f;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  int grid = 0, block = 0;
  const cudaError_t error = cudaOccupancyMaxPotentialBlockSize(&grid, &block, grid_stride, 0, 0);
  TVM_FFI_ICHECK(error == cudaSuccess) << cudaGetErrorString(error);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  grid_stride<<<grid, block, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()), 1 << 24);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
