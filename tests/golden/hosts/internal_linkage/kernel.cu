// Style: kernels in an anonymous namespace, as static functions and in a nested namespace; run in a namespace too.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

namespace {

__device__ __forceinline__ unsigned mix(unsigned a, unsigned b) { return a * 2654435761u ^ b; }

__global__ void hidden(const unsigned* a, const unsigned* b, unsigned* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = mix(a[i], b[i]);
}

}  // namespace

static __global__ void file_local(unsigned* c) { c[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

namespace gemm {
namespace detail {
inline namespace v2 {
__global__ void nested(unsigned* c, int shift) { c[blockIdx.x * blockDim.x + threadIdx.x] >>= shift; }
}  // namespace v2
}  // namespace detail

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  auto* out = static_cast<unsigned*>(c.data_ptr());
  hidden<<<64, 256, 0, stream>>>(static_cast<const unsigned*>(a.data_ptr()), static_cast<const unsigned*>(b.data_ptr()), out);
  file_local<<<64, 256, 0, stream>>>(out);
  detail::nested<<<64, 256, 0, stream>>>(out, 3);
}
}  // namespace gemm

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, gemm::run);
