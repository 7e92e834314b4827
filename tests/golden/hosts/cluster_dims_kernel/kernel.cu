// Style: the cluster is fixed by __cluster_dims__ on the kernel, the launch is a plain <<<>>>.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256) halves(const uint4* a, const uint4* b, uint4* c) {
  __shared__ uint4 mine[256];
  mine[threadIdx.x] = a[static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x];
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  unsigned rank, address, value;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&mine[threadIdx.x]))), "r"(rank ^ 1));
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address));
  c[static_cast<size_t>(blockIdx.x) * 256 + threadIdx.x] = make_uint4(value, b[threadIdx.x].x, rank, 0);
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  halves<<<1024, 256, 0, stream>>>(static_cast<const uint4*>(a.data_ptr()), static_cast<const uint4*>(b.data_ptr()),
                                   static_cast<uint4*>(c.data_ptr()));
  TVM_FFI_ICHECK(cudaGetLastError() == cudaSuccess);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
