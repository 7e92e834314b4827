// Style: cudaLaunchKernel with an array of void* arguments, the kernel's address cast to void*.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void dot_rows(const unsigned short* a, const unsigned short* b, unsigned short* c, int m, int n, int k, float alpha) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) {
    sum = fmaf(__uint_as_float(a[(long long)row * k + i] << 16), __uint_as_float(b[(long long)col * k + i] << 16), sum);
  }
  c[(long long)row * n + col] = __float_as_uint(alpha * sum) >> 16;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const void* a_ptr = a.data_ptr();
  const void* b_ptr = b.data_ptr();
  void* c_ptr = c.data_ptr();
  int m = static_cast<int>(a.size(0)), n = static_cast<int>(b.size(0)), k = static_cast<int>(a.size(1));
  float alpha = 1.0f;
  void* args[] = {&a_ptr, &b_ptr, &c_ptr, &m, &n, &k, &alpha};
  cudaStream_t stream = (cudaStream_t)TVMFFIEnvGetStream(a.device().device_type, a.device().device_id);
  cudaError_t status = cudaLaunchKernel((void*)dot_rows, dim3(n / 256, m, 1), dim3(256, 1, 1), args, 0, stream);
  TVM_FFI_ICHECK(status == cudaSuccess) << "launch failed: " << cudaGetErrorString(status);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
