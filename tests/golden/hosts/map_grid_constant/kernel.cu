// Style: tensor maps as __grid_constant__ const CUtensorMap, encoded in each call by cuTensorMapEncodeTiled, linked directly.
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__device__ __forceinline__ uint32_t shared(const void* pointer) { return static_cast<uint32_t>(__cvta_generic_to_shared(pointer)); }

__global__ void __launch_bounds__(128) tiles(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                                             const __grid_constant__ CUtensorMap map_c) {
  __shared__ alignas(1024) uint16_t tile[2][64 * 64];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(shared(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(shared(&barrier)) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     shared(tile[0])),
                 "l"(&map_a), "r"(0), "r"(static_cast<int>(blockIdx.y) * 64), "r"(shared(&barrier))
                 : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     shared(tile[1])),
                 "l"(&map_b), "r"(0), "r"(static_cast<int>(blockIdx.x) * 64), "r"(shared(&barrier))
                 : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred done;\nwait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait;\n}" ::"r"(
                   shared(&barrier))
               : "memory");
  for (int i = threadIdx.x; i < 64 * 64; i += 128) tile[0][i] ^= tile[1][i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(&map_c),
                 "r"(static_cast<int>(blockIdx.x) * 64), "r"(static_cast<int>(blockIdx.y) * 64), "r"(shared(tile[0]))
                 : "memory");
  }
}

static CUtensorMap encode(const tvm::ffi::TensorView& tensor) {
  CUtensorMap map;
  const cuuint64_t dims[2] = {static_cast<cuuint64_t>(tensor.size(1)), static_cast<cuuint64_t>(tensor.size(0))};
  const cuuint64_t strides[1] = {dims[0] * sizeof(uint16_t)};
  const cuuint32_t box[2] = {64, 64}, steps[2] = {1, 1};
  const CUresult result = cuTensorMapEncodeTiled(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, tensor.data_ptr(), dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  TVM_FFI_ICHECK(result == CUDA_SUCCESS) << "cuTensorMapEncodeTiled: " << static_cast<int>(result);
  return map;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  tiles<<<dim3(c.size(1) / 64, c.size(0) / 64), 128, 0, stream>>>(encode(a), encode(b), encode(c));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
