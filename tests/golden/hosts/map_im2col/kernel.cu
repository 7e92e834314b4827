// Style: an im2col tensor map over A as one image row of 8192 pixels with 5120 channels.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void __launch_bounds__(128) pixels(const __grid_constant__ CUtensorMap map, unsigned short* out, int columns) {
  __shared__ alignas(128) unsigned short tile[64 * 64];
  __shared__ alignas(8) unsigned long long barrier;
  const unsigned bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(bar) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" ::"r"(bar) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(
            static_cast<unsigned>(__cvta_generic_to_shared(tile))),
        "l"(&map), "r"(0), "r"(static_cast<int>(blockIdx.x) * 64), "r"(0), "r"(bar), "h"(static_cast<unsigned short>(0))
        : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred done;\nwait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait;\n}" ::"r"(bar) : "memory");
  for (int i = threadIdx.x; i < 64 * 64; i += 128) out[(blockIdx.x * 64ull + i / 64) * columns + i % 64] = tile[i];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  CUtensorMap map;
  const cuuint64_t channels = a.size(1), width = a.size(0);
  const cuuint64_t dims[3] = {channels, width, 1};
  const cuuint64_t strides[2] = {channels * 2, channels * width * 2};
  const int lower[1] = {0}, upper[1] = {0};
  const cuuint32_t steps[3] = {1, 1, 1};
  const CUresult result = cuTensorMapEncodeIm2col(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, a.data_ptr(), dims, strides, lower, upper, 64, 64, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  TVM_FFI_ICHECK(result == CUDA_SUCCESS) << "cuTensorMapEncodeIm2col: " << static_cast<int>(result);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  pixels<<<static_cast<unsigned>(width / 64), 128, 0, stream>>>(map, static_cast<unsigned short*>(c.data_ptr()),
                                                                static_cast<int>(c.size(1)));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
