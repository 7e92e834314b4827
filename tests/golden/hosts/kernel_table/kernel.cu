// Style: a table of kernel variants by function pointer; the chosen one goes through cudaFuncSetAttribute and cudaLaunchKernel.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

template <int kTileColumns>
__global__ void __launch_bounds__(kTileColumns) variant(const unsigned short* a, const unsigned short* b, unsigned short* c, int n, int k) {
  extern __shared__ unsigned short row[];
  for (int i = threadIdx.x; i < k; i += kTileColumns) row[i] = a[static_cast<size_t>(blockIdx.y) * k + i];
  __syncthreads();
  const int column = blockIdx.x * kTileColumns + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < k; ++i) sum += __uint_as_float(row[i] << 16) * __uint_as_float(b[static_cast<size_t>(column) * k + i] << 16);
  c[static_cast<size_t>(blockIdx.y) * n + column] = __float_as_uint(sum) >> 16;
}

using Kernel = void (*)(const unsigned short*, const unsigned short*, unsigned short*, int, int);

struct Variant {
  int columns;  // N must be a multiple
  int shared_bytes;
  Kernel kernel;
};

static const Variant kVariants[] = {
    {1024, 65536, variant<1024>},
    {512, 57344, variant<512>},
    {256, 49152, variant<256>},
};

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  int n = static_cast<int>(b.size(0)), k = static_cast<int>(a.size(1));
  const Variant* chosen = nullptr;
  for (const Variant& one : kVariants) {
    if (n % one.columns == 0 && k * 2 <= one.shared_bytes && n / one.columns >= 8) {
      chosen = &one;
      break;
    }
  }
  TVM_FFI_ICHECK_NOTNULL(chosen);
  const void* function = reinterpret_cast<const void*>(chosen->kernel);
  cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, chosen->shared_bytes);
  const void* in[2] = {a.data_ptr(), b.data_ptr()};
  void* out = c.data_ptr();
  void* arguments[] = {&in[0], &in[1], &out, &n, &k};
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  const cudaError_t error = cudaLaunchKernel(function, dim3(n / chosen->columns, static_cast<unsigned>(a.size(0))),
                                             dim3(chosen->columns), arguments, chosen->shared_bytes, stream);
  TVM_FFI_ICHECK(error == cudaSuccess) << cudaGetErrorName(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
