// Style: check macros with fprintf and throw around every call; last error taken and peeked at, names and strings of errors.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#define CUDA_CHECK(expr)                                                                                        \
  do {                                                                                                          \
    const cudaError_t err__ = (expr);                                                                           \
    if (err__ != cudaSuccess) {                                                                                 \
      std::fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", __FILE__, __LINE__, #expr, cudaGetErrorName(err__),   \
                   cudaGetErrorString(err__));                                                                  \
      throw std::runtime_error(cudaGetErrorString(err__));                                                      \
    }                                                                                                           \
  } while (0)

#define CUDA_CHECK_LAST()                                      \
  do {                                                         \
    if (cudaPeekAtLastError() != cudaSuccess) {                \
      fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())); \
      abort();                                                 \
    }                                                          \
  } while (0)

__global__ void square(const float* a, float* c) { c[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x] * a[blockIdx.x * 256 + threadIdx.x]; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  int device = -1;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaSetDevice(a.device().device_id));
  float* scratch = nullptr;
  CUDA_CHECK(cudaMalloc(&scratch, 1 << 20));
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  CUDA_CHECK(cudaMemsetAsync(scratch, 0, 1 << 20, stream));
  square<<<1024, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), scratch);
  CUDA_CHECK_LAST();
  square<<<1024, 256, 0, stream>>>(scratch, static_cast<float*>(c.data_ptr()));
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaFree(scratch));
  CUDA_CHECK(cudaSetDevice(device));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
