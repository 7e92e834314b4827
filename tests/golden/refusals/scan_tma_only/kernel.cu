#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void load(float* c, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[64];
  __shared__ alignas(8) unsigned long long arrived;
  const auto bar = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(bar));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" : : "r"(bar) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], [%2];"
                 : : "r"(to), "l"(&map), "r"(bar) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; wait: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra wait; }" : : "r"(bar) : "memory");
  c[blockIdx.x * 64 + threadIdx.x % 64] = tile[threadIdx.x % 64];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  CUtensorMap map;
  const cuuint64_t dims[] = {5120, 8192}, strides[] = {10240};
  const cuuint32_t box[] = {8, 16}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, a.data_ptr(), dims, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  load<<<1024, 64>>>(static_cast<float*>(c.data_ptr()), map);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
