// Style: <<<>>> with one-, two- and three-dimensional grids and blocks; three kernels of one call in order.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

using bf16 = unsigned short;

__device__ float widen(bf16 value) { return __uint_as_float(static_cast<unsigned>(value) << 16); }

__global__ void clear(bf16* c, long long count) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) c[i] = 0;
}

__global__ void multiply(const bf16* a, const bf16* b, bf16* c, int rows, int columns, int depth) {
  extern __shared__ float tile[];
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < depth; k += 16) {
    tile[threadIdx.y * 16 + threadIdx.x] = widen(a[static_cast<long long>(row) * depth + k + threadIdx.x]);
    tile[256 + threadIdx.y * 16 + threadIdx.x] =
        widen(b[static_cast<long long>(blockIdx.x * 16 + threadIdx.y) * depth + k + threadIdx.x]);
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile[threadIdx.y * 16 + i] * tile[256 + threadIdx.x * 16 + i];
    __syncthreads();
  }
  if (row < rows && column < columns) c[static_cast<long long>(row) * columns + column] = __float_as_uint(sum) >> 16;
}

__global__ void flush_denormals(bf16* c, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = (blockIdx.z * gridDim.y + blockIdx.y) * blockDim.y * blockDim.z + threadIdx.z * blockDim.y + threadIdx.y;
  if (row < rows && column < columns && (c[static_cast<long long>(row) * columns + column] & 0x7f80) == 0) {
    c[static_cast<long long>(row) * columns + column] = 0;
  }
}

void run(tvm::ffi::TensorView A, tvm::ffi::TensorView B, tvm::ffi::TensorView C) {
  const int m = A.size(0), k = A.size(1), n = B.size(0);
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(A.device().device_type, A.device().device_id));
  auto* c = static_cast<bf16*>(C.data_ptr());

  clear<<<256, 512, 0, stream>>>(c, static_cast<long long>(m) * n);
  dim3 block(16, 16);
  dim3 grid(n / block.x, m / block.y);
  multiply<<<grid, block, 2 * 16 * 16 * sizeof(float), stream>>>(
      static_cast<const bf16*>(A.data_ptr()), static_cast<const bf16*>(B.data_ptr()), c, m, n, k);
  flush_denormals<<<dim3(n / 64, m / 32, 4), dim3(64, 4, 2), 0, stream>>>(c, m, n);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
