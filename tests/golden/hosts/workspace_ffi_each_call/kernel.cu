// Style: workspaces from tvm::ffi::Tensor::FromEnvAlloc in each call, freed when they go out of scope.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

__global__ void dot_o_do(const unsigned* o, const unsigned* d_o, float* delta) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += __uint_as_float(o[row * 64ull + i] << 16) * __uint_as_float(d_o[row * 64ull + i] << 16);
  delta[row] = sum;
}

__global__ void grads(const unsigned* q, const float* lse, const float* delta, float* dq_sum, unsigned* dk, unsigned* dv) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  dq_sum[i] = lse[i] - delta[i];
  dk[i] = dv[i] = q[i];
}

__global__ void round_dq(const float* dq_sum, unsigned* dq) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  dq[i] = __float_as_uint(dq_sum[i]) >> 16;
}

void run(ffi::TensorView q, ffi::TensorView k, ffi::TensorView v, ffi::TensorView o, ffi::TensorView d_o, ffi::TensorView lse,
         ffi::TensorView dq, ffi::TensorView dk, ffi::TensorView dv) {
  const DLDevice device = q.device();
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  ffi::Tensor delta = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, lse.shape(), lse.dtype(), device);
  const int64_t rows = q.size(0) * q.size(1) * q.size(2);
  ffi::Tensor dq_sum = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, ffi::ShapeView({rows}), DLDataType{kDLFloat, 32, 1}, device);
  const auto blocks = static_cast<unsigned>(rows / 256);
  dot_o_do<<<blocks, 256, 0, stream>>>(static_cast<const unsigned*>(o.data_ptr()), static_cast<const unsigned*>(d_o.data_ptr()),
                                       static_cast<float*>(delta.data_ptr()));
  grads<<<blocks, 256, 0, stream>>>(static_cast<const unsigned*>(q.data_ptr()), static_cast<const float*>(lse.data_ptr()),
                                    static_cast<const float*>(delta.data_ptr()), static_cast<float*>(dq_sum.data_ptr()),
                                    static_cast<unsigned*>(dk.data_ptr()), static_cast<unsigned*>(dv.data_ptr()));
  round_dq<<<blocks, 256, 0, stream>>>(static_cast<const float*>(dq_sum.data_ptr()), static_cast<unsigned*>(dq.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
