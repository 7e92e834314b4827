#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>
#include <utility>

template <int... n>
__host__ __device__ constexpr int count(std::integer_sequence<int, n...>) {
  return sizeof...(n);
}

__global__ void fill(float* c) {
#ifdef __CUDA_ARCH__
  c[blockIdx.x * 256 + threadIdx.x] = count(std::make_integer_sequence<int, 1 << 27>{});
#endif
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
