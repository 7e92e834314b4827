// Style: cudaMalloc and cudaFree in each call, with a device synchronise before the free.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#define CUDA_CHECK(x)                                                                          \
  do {                                                                                         \
    cudaError_t e = (x);                                                                       \
    TVM_FFI_ICHECK(e == cudaSuccess) << "CUDA error: " << cudaGetErrorString(e) << " at " #x;  \
  } while (0)

__global__ void transpose(const unsigned short* b, unsigned short* bt, int n, int k) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < k && y < n) bt[(size_t)x * n + y] = b[(size_t)y * k + x];
}

__global__ void multiply(const unsigned short* a, const unsigned short* bt, unsigned short* c, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  float sum = 0.f;
  for (int i = 0; i < k; ++i) sum += __uint_as_float(a[(size_t)row * k + i] << 16) * __uint_as_float(bt[(size_t)i * n + col] << 16);
  c[(size_t)row * n + col] = __float_as_uint(sum) >> 16;
}

void run(tvm::ffi::TensorView A, tvm::ffi::TensorView B, tvm::ffi::TensorView C) {
  const int M = A.size(0), K = A.size(1), N = B.size(0);
  cudaStream_t s = (cudaStream_t)TVMFFIEnvGetStream(A.device().device_type, A.device().device_id);
  unsigned short* bt;
  CUDA_CHECK(cudaMalloc(&bt, (size_t)N * K * 2));
  transpose<<<dim3(K / 32, N / 8), dim3(32, 8), 0, s>>>((const unsigned short*)B.data_ptr(), bt, N, K);
  multiply<<<dim3(N / 256, M), 256, 0, s>>>((const unsigned short*)A.data_ptr(), bt, (unsigned short*)C.data_ptr(), N, K);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(bt));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
