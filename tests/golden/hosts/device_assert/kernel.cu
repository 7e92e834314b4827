// Style: assert and __trap in device code, static_assert in host code.
#include <cassert>

#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

static_assert(sizeof(float4) == 16, "vector loads");

__global__ void guarded(const float4* a, float4* c, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < count);
  if (reinterpret_cast<size_t>(a) % 16 != 0) __trap();
  c[i] = a[i];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  assert(a.ndim() == 2);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  guarded<<<1024, 256, 0, stream>>>(static_cast<const float4*>(a.data_ptr()), static_cast<float4*>(c.data_ptr()), 1 << 18);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
