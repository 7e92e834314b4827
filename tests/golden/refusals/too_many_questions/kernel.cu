#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c) { c[blockIdx.x * 256 + threadIdx.x] = 0.0f; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static int best = 0;
  int blocks = 0;
  for (int shared = 0; best == 0 || shared < 1100 && blocks != 0; shared++) {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 256, shared * 16);
    best = blocks > best ? blocks : best;
  }
  fill<<<best * 132, 256>>>(static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
