// Style: Blackwell launch with a cluster size and a larger preferred cluster size.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void pair_or_quad(const uint4* a, const uint4* b, uint4* c) {
  unsigned size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  c[i] = make_uint4(a[i].x, b[i].x, size, 0);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  cudaLaunchAttribute attrs[2] = {};
  attrs[0].id = cudaLaunchAttributeClusterDimension;
  attrs[0].val.clusterDim = {2, 1, 1};
  attrs[1].id = cudaLaunchAttributePreferredClusterDimension;
  attrs[1].val.preferredClusterDim = {4, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = 1024;
  config.blockDim = 192;
  config.stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  config.attrs = attrs;
  config.numAttrs = 2;
  const cudaError_t err =
      cudaLaunchKernelEx(&config, pair_or_quad, static_cast<const uint4*>(a.data_ptr()),
                         static_cast<const uint4*>(b.data_ptr()), static_cast<uint4*>(c.data_ptr()));
  TVM_FFI_ICHECK(err == cudaSuccess) << cudaGetErrorString(err);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
