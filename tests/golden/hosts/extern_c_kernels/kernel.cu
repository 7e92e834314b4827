// Style: everything with C linkage, kernel and host function alike.
#include <cuda_runtime.h>
#include <stdint.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

extern "C" __global__ void __launch_bounds__(128) gemm_bf16_nt(const uint16_t* A, const uint16_t* B, uint16_t* C, int M, int N, int K) {
  const int col = blockIdx.x * 128 + threadIdx.x, row = blockIdx.y;
  float acc = 0.f;
  for (int k = 0; k < K; ++k) acc += __uint_as_float(A[(int64_t)row * K + k] << 16) * __uint_as_float(B[(int64_t)col * K + k] << 16);
  if (row < M && col < N) C[(int64_t)row * N + col] = (uint16_t)(__float_as_uint(acc) >> 16);
}

extern "C" void launch_gemm(const void* A, const void* B, void* C, int M, int N, int K, cudaStream_t stream) {
  gemm_bf16_nt<<<dim3((N + 127) / 128, M), 128, 0, stream>>>((const uint16_t*)A, (const uint16_t*)B, (uint16_t*)C, M, N, K);
}

void run(tvm::ffi::TensorView A, tvm::ffi::TensorView B, tvm::ffi::TensorView C) {
  DLDevice dev = A.device();
  launch_gemm(A.data_ptr(), B.data_ptr(), C.data_ptr(), (int)A.size(0), (int)B.size(0), (int)A.size(1),
              (cudaStream_t)TVMFFIEnvGetStream(dev.device_type, dev.device_id));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
