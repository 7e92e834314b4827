// Style: every shape, dtype, device and stride checked with the TVM_FFI macros; arguments by const reference.
#include <cuda_runtime.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#define CHECK_BF16(t)                                                                   \
  TVM_FFI_ICHECK_EQ((t).dtype().code, kDLBfloat) << #t " must be bfloat16";             \
  TVM_FFI_ICHECK_EQ((t).dtype().bits, 16);                                              \
  TVM_FFI_ICHECK_EQ((t).dtype().lanes, 1);                                              \
  TVM_FFI_ICHECK((t).dtype() == bfloat16) << #t;                                        \
  TVM_FFI_ICHECK_EQ((t).device().device_type, kDLCUDA) << #t " must be on a GPU";       \
  TVM_FFI_ICHECK((t).IsContiguous()) << #t " must be contiguous"

static constexpr DLDataType bfloat16{kDLBfloat, 16, 1};

__global__ void head_rows(const unsigned* q, const unsigned* k, const unsigned* v, unsigned* o, float* lse, float scale) {
  const size_t i = static_cast<size_t>(blockIdx.x) * 64 + threadIdx.x;
  o[i] = q[i] ^ k[i] ^ v[i];
  if (threadIdx.x == 0) lse[blockIdx.x] = scale;
}

void run(const tvm::ffi::TensorView& Q, const tvm::ffi::TensorView& K, const tvm::ffi::TensorView& V, const tvm::ffi::TensorView& O,
         const tvm::ffi::TensorView& LSE) {
  CHECK_BF16(Q);
  CHECK_BF16(K);
  CHECK_BF16(V);
  CHECK_BF16(O);
  TVM_FFI_ICHECK_EQ(Q.ndim(), 4);
  TVM_FFI_ICHECK_EQ(Q.dim(), 4);
  TVM_FFI_ICHECK_EQ(LSE.ndim(), 3);
  TVM_FFI_ICHECK_EQ(LSE.dtype().code, kDLFloat) << "LSE is float32";
  TVM_FFI_ICHECK_EQ(LSE.dtype().bits, 32);
  for (int i = 0; i < 4; ++i) {
    TVM_FFI_ICHECK_EQ(K.size(i), Q.shape()[i]) << "K and Q differ in dimension " << i;
    TVM_FFI_ICHECK_EQ(V.size(i), Q.sizes()[i]);
    TVM_FFI_ICHECK_EQ(O.size(i), Q.size(i));
    if (i < 3) TVM_FFI_ICHECK_EQ(LSE.size(i), Q.size(i));
  }
  TVM_FFI_ICHECK_EQ(Q.size(-1), 128);
  TVM_FFI_ICHECK_EQ(Q.stride(3), 1);
  TVM_FFI_ICHECK_EQ(Q.stride(-2), 128);
  TVM_FFI_ICHECK_EQ(Q.strides()[1], Q.size(2) * Q.size(3));
  TVM_FFI_ICHECK_EQ(Q.byte_offset(), 0u);
  TVM_FFI_ICHECK_EQ(Q.numel(), LSE.numel() * 128);
  TVM_FFI_ICHECK_NE(Q.data_ptr(), K.data_ptr());
  TVM_FFI_ICHECK_GT(Q.shape().Product(), 0) << "empty";
  TVM_FFI_CHECK(reinterpret_cast<uintptr_t>(Q.data_ptr()) % 16 == 0, ValueError) << "Q must be aligned to 16 bytes";
  const DLDevice device = Q.device();
  TVM_FFI_ICHECK_EQ(K.device().device_id, device.device_id);
  auto stream = reinterpret_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  head_rows<<<static_cast<unsigned>(LSE.numel()), 64, 0, stream>>>(
      static_cast<const unsigned*>(Q.data_ptr()), static_cast<const unsigned*>(K.data_ptr()), static_cast<const unsigned*>(V.data_ptr()),
      static_cast<unsigned*>(O.data_ptr()), static_cast<float*>(LSE.data_ptr()), 0.0883883476f);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
