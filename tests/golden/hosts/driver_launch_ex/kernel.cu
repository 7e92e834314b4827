// Style: cuLaunchKernelEx with a cluster attribute, the function handle fetched once; context and device by the driver API.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void quads(const uint4* a, const uint4* b, uint4* c) {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = make_uint4(a[i].x, b[i].y, rank, 0);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static CUfunction function = [] {
    cudaFunction_t found = nullptr;
    cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(quads));
    return static_cast<CUfunction>(found);
  }();
  CUdevice device = 0;
  CUcontext context = nullptr;
  int sms = 0;
  TVM_FFI_ICHECK(cuInit(0) == CUDA_SUCCESS && cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != nullptr);
  TVM_FFI_ICHECK(cuDeviceGet(&device, a.device().device_id) == CUDA_SUCCESS);
  TVM_FFI_ICHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) == CUDA_SUCCESS);

  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = 4;
  cluster.value.clusterDim.y = 1;
  cluster.value.clusterDim.z = 1;
  CUlaunchConfig config = {};
  config.gridDimX = sms / 4 * 4;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 256;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = static_cast<CUstream>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  config.attrs = &cluster;
  config.numAttrs = 1;
  void *pa = a.data_ptr(), *pb = b.data_ptr(), *pc = c.data_ptr();
  void* params[] = {&pa, &pb, &pc};
  const CUresult result = cuLaunchKernelEx(&config, function, params, nullptr);
  TVM_FFI_ICHECK(result == CUDA_SUCCESS) << static_cast<int>(result);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
