// Style: a tensor map over a static workspace, encoded in the first call and kept; one kernel stores through it, the next loads.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__device__ void load_tile(const CUtensorMap* map, int x, int y, unsigned short* tile, unsigned long long* barrier) {
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(tile))),
                 "l"(map), "r"(x), "r"(y), "r"(bar)
                 : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred done;\nwait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait;\n}" ::"r"(bar) : "memory");
}

__global__ void __launch_bounds__(128) stage(const __grid_constant__ CUtensorMap map, const unsigned short* in, int columns) {
  __shared__ alignas(128) unsigned short tile[64 * 64];
  for (int i = threadIdx.x; i < 64 * 64; i += 128) tile[i] = in[(blockIdx.x * 64ull + i / 64) * columns + i % 64];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\ncp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(&map),
                 "r"(0), "r"(static_cast<int>(blockIdx.x) * 64), "r"(static_cast<unsigned>(__cvta_generic_to_shared(tile)))
                 : "memory");
  }
}

__global__ void __launch_bounds__(128) unstage(const __grid_constant__ CUtensorMap map, unsigned short* out, int columns) {
  __shared__ alignas(128) unsigned short tile[64 * 64];
  __shared__ alignas(8) unsigned long long barrier;
  load_tile(&map, 0, static_cast<int>(blockIdx.x) * 64, tile, &barrier);
  for (int i = threadIdx.x; i < 64 * 64; i += 128) out[(blockIdx.x * 64ull + i / 64) * columns + i % 64] = tile[i];
}

struct Staging {
  void* memory = nullptr;
  CUtensorMap map;

  Staging(cuuint64_t rows, cuuint64_t columns) {
    TVM_FFI_ICHECK(cudaMalloc(&memory, rows * columns * 2) == cudaSuccess);
    const cuuint64_t dims[2] = {columns, rows}, strides[1] = {columns * 2};
    const cuuint32_t box[2] = {64, 64}, steps[2] = {1, 1};
    TVM_FFI_ICHECK(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, memory, dims, strides, box, steps,
                                          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  }
};

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static const Staging staging(a.size(0), 64);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  const unsigned blocks = static_cast<unsigned>(a.size(0) / 64);
  stage<<<blocks, 128, 0, stream>>>(staging.map, static_cast<const unsigned short*>(a.data_ptr()), static_cast<int>(a.size(1)));
  unstage<<<blocks, 128, 0, stream>>>(staging.map, static_cast<unsigned short*>(c.data_ptr()), static_cast<int>(c.size(1)));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
