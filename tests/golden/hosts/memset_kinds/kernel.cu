// Style: every way to clear memory: cudaMemsetAsync, cudaMemset2DAsync, cuMemsetD32Async, cuMemsetD16Async, cuMemsetD2D32Async.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void add_to(const float* a, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&c[i], a[i]);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  static char* workspace = nullptr;
  if (workspace == nullptr) cudaMalloc(&workspace, 1 << 20);
  const size_t row = static_cast<size_t>(c.size(1)) * 2;
  cudaMemsetAsync(c.data_ptr(), 0, 64 * row, stream);
  // The left half of the next 64 rows.
  cudaMemset2DAsync(static_cast<char*>(c.data_ptr()) + 64 * row, row, 0xff, row / 2, 64, stream);
  const CUdeviceptr at = reinterpret_cast<CUdeviceptr>(workspace);
  TVM_FFI_ICHECK(cuMemsetD32Async(at, 0xff800000u, 16384, stream) == CUDA_SUCCESS);  // minus infinity
  TVM_FFI_ICHECK(cuMemsetD16Async(at + 65536, 0x3f80, 1024, stream) == CUDA_SUCCESS);  // one in bf16
  TVM_FFI_ICHECK(cuMemsetD2D32Async(at + 131072, 1024, 1u, 100, 32, stream) == CUDA_SUCCESS);
  cudaMemset(workspace + 262144, 0, 100);
  add_to<<<256, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), reinterpret_cast<float*>(workspace));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
