// Style: run takes DLTensor* and reads the struct itself; only the C header of the environment and the function header are included.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

__global__ void rows_of(const unsigned short* a, const unsigned short* b, unsigned short* c, int64_t stride) {
  c[blockIdx.x * stride + threadIdx.x] = a[blockIdx.x * stride + threadIdx.x] ^ b[threadIdx.x];
}

static char* address(const DLTensor* tensor) { return static_cast<char*>(tensor->data) + tensor->byte_offset; }

void run(DLTensor* A, DLTensor* B, DLTensor* C) {
  if (A->ndim != 2 || A->dtype.code != kDLBfloat || A->dtype.bits != 16 || A->device.device_type != kDLCUDA) {
    TVM_FFI_THROW(TypeError) << "A must be a bf16 matrix on the GPU";
  }
  const int64_t stride = A->strides ? A->strides[0] : A->shape[1];
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(A->device.device_type, A->device.device_id));
  rows_of<<<static_cast<unsigned>(A->shape[0]), 512, 0, stream>>>(reinterpret_cast<const unsigned short*>(address(A)),
                                                                  reinterpret_cast<const unsigned short*>(address(B)),
                                                                  reinterpret_cast<unsigned short*>(address(C)), stride);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
