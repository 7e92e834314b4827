#include <cuda_bf16.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#define CEIL(a, b) (((a) + (b)-1) / (b))
#define CHECK(call) TVM_FFI_ICHECK((call) == cudaSuccess) << #call
#define LAUNCH(D) scale_##D<<<dim3(CEIL(n, 256)), 256, 0, stream>>>

namespace {
enum class Scope { system, device };  // words that are also calls
struct Queue {
  int kill = 0, clone = 0;
  void system(int) {}
};
template <int N>
__global__ void __launch_bounds__(256) scale(float* x, int n) {
  extern __shared__ __align__(128) char pool[];
  asm volatile("fence.proxy.async;\n" ::: "memory");
#pragma unroll
  for (int i = 0; i < 1'024 / N; ++i) x[i] *= 0x1.8p+1f;
}
}  // namespace
template <class T> struct Two { Two<Two<T>>* next; };
void run(tvm::ffi::TensorView x) {
  Queue queue;
  queue.system(Scope::system == Scope::device);
  cudaFuncSetAttribute(scale<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
  scale<1><<<1, 256>>>(static_cast<float*>(x.data_ptr()), int(x.size(0)));
  CHECK(cudaGetLastError());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
