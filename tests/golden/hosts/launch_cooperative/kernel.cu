// Style: cudaLaunchCooperativeKernel with a grid from the occupancy query; the kernel syncs the grid with cooperative groups.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace cg = cooperative_groups;

__device__ float g_partial[1 << 20];

__global__ void __launch_bounds__(256) two_phases(const unsigned short* a, const unsigned short* b, unsigned short* c, int k) {
  extern __shared__ float staged[];
  cg::grid_group grid = cg::this_grid();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = __uint_as_float(a[i % k] << 16);
  g_partial[i] = staged[threadIdx.x] * __uint_as_float(b[i % k] << 16);
  grid.sync();
  c[i] = __float_as_uint(g_partial[(i + 1) % (gridDim.x * blockDim.x)]) >> 16;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int smem = 100 * 1024, threads = 256;
  cudaFuncSetAttribute(two_phases, cudaFuncAttributeMaxDynamicSharedMemorySize, smem);
  int device = 0, sms = 0, per_sm = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, two_phases, threads, smem);
  const void *pa = a.data_ptr(), *pb = b.data_ptr();
  void* pc = c.data_ptr();
  int k = static_cast<int>(a.size(1));
  void* args[] = {&pa, &pb, &pc, &k};
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  cudaError_t err = cudaLaunchCooperativeKernel((void*)two_phases, dim3(sms * per_sm), dim3(threads), args, smem, stream);
  TVM_FFI_ICHECK(err == cudaSuccess) << cudaGetErrorString(err);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
