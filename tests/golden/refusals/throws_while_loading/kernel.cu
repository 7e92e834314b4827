#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>
#include <stdexcept>

static const int tiles = [] {
  if (sizeof(long) == 8) throw std::runtime_error("no tiles");
  return 4;
}();

__global__ void fill(float* c, int n) { c[blockIdx.x * 256 + threadIdx.x] = n; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()), tiles);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
