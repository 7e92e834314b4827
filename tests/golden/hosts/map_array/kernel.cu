// Style: an array of tensor maps in a struct, indexed by the kernel; the encoder from cudaGetDriverEntryPointByVersion.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

struct Maps {
  CUtensorMap of[2];
};

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

__global__ void __launch_bounds__(128) interleave(const __grid_constant__ Maps maps, unsigned short* out, int columns) {
  __shared__ alignas(128) unsigned short tile[64 * 64];
  __shared__ alignas(8) unsigned long long barrier;
  load_tile(&maps.of[blockIdx.z], 0, static_cast<int>(blockIdx.x) * 64, tile, &barrier);
  for (int i = threadIdx.x; i < 64 * 64; i += 128) {
    out[(blockIdx.x * 64ull + i / 64) * columns + blockIdx.z * 64 + i % 64] = tile[i];
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static decltype(&cuTensorMapEncodeTiled) encode = [] {
    void* pointer = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &pointer, 12000, cudaEnableDefault, &found);
    TVM_FFI_ICHECK(error == cudaSuccess && found == cudaDriverEntryPointSuccess) << "no cuTensorMapEncodeTiled";
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(pointer);
  }();
  Maps maps;
  const tvm::ffi::TensorView* operands[2] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    const cuuint64_t dims[2] = {static_cast<cuuint64_t>(operands[i]->size(1)), static_cast<cuuint64_t>(operands[i]->size(0))};
    const cuuint64_t strides[1] = {dims[0] * 2};
    const cuuint32_t box[2] = {64, 64}, steps[2] = {1, 1};
    const CUresult result =
        encode(&maps.of[i], CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, operands[i]->data_ptr(), dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    TVM_FFI_ICHECK(result == CUDA_SUCCESS);
  }
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  interleave<<<dim3(b.size(0) / 64, 1, 2), 128, 0, stream>>>(maps, static_cast<unsigned short*>(c.data_ptr()),
                                                             static_cast<int>(c.size(1)));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
