#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c, const float* a) {
  float found;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(found) : "l"(a + threadIdx.x), "l"(policy));
  c[blockIdx.x * 256 + threadIdx.x] = found;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), static_cast<const float*>(a.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
