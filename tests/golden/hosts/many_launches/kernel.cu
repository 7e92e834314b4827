// Style: a host loop launches one kernel per block of K, sixteen a call, each with pointers further into the operands.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void rank_update(const unsigned short* a, const unsigned short* b, float* sums, int depth, int stride, bool first) {
  const int column = blockIdx.x * 256 + threadIdx.x;
  float sum = first ? 0.0f : sums[static_cast<size_t>(blockIdx.y) * gridDim.x * 256 + column];
  for (int i = 0; i < depth; ++i) {
    sum += __uint_as_float(a[static_cast<size_t>(blockIdx.y) * stride + i] << 16) *
           __uint_as_float(b[static_cast<size_t>(column) * stride + i] << 16);
  }
  sums[static_cast<size_t>(blockIdx.y) * gridDim.x * 256 + column] = sum;
}

__global__ void convert(const float* sums, unsigned short* c) {
  const size_t i = static_cast<size_t>(blockIdx.x) * 1024 + threadIdx.x;
  c[i] = __float_as_uint(sums[i]) >> 16;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), k = a.size(1), n = b.size(0), depth = k / 16;
  static float* sums = nullptr;
  if (sums == nullptr) cudaMalloc(&sums, sizeof(float) * m * n);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  for (int step = 0; step < 16; ++step) {
    rank_update<<<dim3(n / 256, m), 256, 0, stream>>>(static_cast<const unsigned short*>(a.data_ptr()) + step * depth,
                                                      static_cast<const unsigned short*>(b.data_ptr()) + step * depth, sums, depth, k,
                                                      step == 0);
  }
  convert<<<static_cast<size_t>(m) * n / 1024, 1024, 0, stream>>>(sums, static_cast<unsigned short*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
