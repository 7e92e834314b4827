// Style: split-K in two kernels, the second launched with programmatic stream serialisation (PDL).
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

constexpr int kSplits = 4;

__global__ void partial_sums(const unsigned short* a, const unsigned short* b, float* partial, int n, int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, part = blockIdx.z;
  float sum = 0.0f;
  for (int i = part * k / kSplits; i < (part + 1) * k / kSplits; ++i) {
    sum += __uint_as_float(a[(size_t)row * k + i] << 16) * __uint_as_float(b[(size_t)col * k + i] << 16);
  }
  partial[((size_t)part * gridDim.y + row) * n + col] = sum;
  asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void reduce_sums(const float* partial, unsigned short* c, size_t count) {
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int part = 0; part < kSplits; ++part) sum += partial[part * count + i];
  c[i] = __float_as_uint(sum) >> 16;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int m = a.size(0), k = a.size(1), n = b.size(0);
  const size_t count = (size_t)m * n;
  static float* partial = nullptr;
  if (!partial) cudaMalloc(&partial, kSplits * count * sizeof(float));

  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  partial_sums<<<dim3(n / 256, m, kSplits), 256, 0, stream>>>(
      static_cast<const unsigned short*>(a.data_ptr()), static_cast<const unsigned short*>(b.data_ptr()), partial, n, k);

  cudaLaunchAttribute pdl{};
  pdl.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  pdl.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = count / 1024;
  config.blockDim = 1024;
  config.stream = stream;
  config.attrs = &pdl;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, reduce_sums, static_cast<const float*>(partial),
                     static_cast<unsigned short*>(c.data_ptr()), count);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
