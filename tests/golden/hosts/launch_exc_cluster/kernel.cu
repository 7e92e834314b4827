// Style: cudaLaunchKernelExC with void* arguments, a cluster of 16 after the non-portable opt-in, and a scheduling policy.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#define CHECK(call)                                                                        \
  do {                                                                                     \
    cudaError_t status_ = (call);                                                          \
    TVM_FFI_ICHECK(status_ == cudaSuccess) << #call ": " << cudaGetErrorString(status_);   \
  } while (0)

__global__ void wide_cluster(const uint4* a, const uint4* b, uint4* c) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  c[i] = make_uint4(a[i].x, b[i].y, rank, 0);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  CHECK(cudaFuncSetAttribute(wide_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  void *pa = a.data_ptr(), *pb = b.data_ptr(), *pc = c.data_ptr();
  void* args[3] = {&pa, &pb, &pc};

  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {16, 1, 1};
  attributes[1].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
  attributes[1].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicySpread;

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1792);
  config.blockDim = dim3(256);
  config.stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  config.attrs = attributes;
  config.numAttrs = 2;
  CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&wide_cluster), args));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
