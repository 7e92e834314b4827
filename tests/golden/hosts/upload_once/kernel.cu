// Style: a table in __constant__ memory and one in a workspace are uploaded by the first call only; a set-up kernel fills a third.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cmath>

__constant__ float c_slopes[48];

__global__ void fill_positions(float* positions, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) positions[i] = i * 0.001f;
}

__global__ void biased(const float* q, const float* positions, const int* heads, float* lse) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  lse[i] = q[i] + positions[i % 4096] * c_slopes[heads[blockIdx.x % 48]];
}

static float* g_positions = nullptr;
static int* g_heads = nullptr;

static void set_up(cudaStream_t stream) {
  static bool ready = false;
  if (ready) return;
  float slopes[48];
  int heads[48];
  for (int i = 0; i < 48; ++i) {
    slopes[i] = std::ldexp(1.0f, -i / 6);
    heads[i] = 47 - i;
  }
  cudaMemcpyToSymbol(c_slopes, slopes, sizeof(slopes));
  cudaMalloc(&g_heads, sizeof(heads));
  cudaMalloc(&g_positions, 4096 * sizeof(float));
  cudaMemcpy(g_heads, heads, sizeof(heads), cudaMemcpyHostToDevice);
  fill_positions<<<16, 256, 0, stream>>>(g_positions, 4096);
  cudaStreamSynchronize(stream);
  ready = true;
}

void run(tvm::ffi::TensorView q, tvm::ffi::TensorView k, tvm::ffi::TensorView v, tvm::ffi::TensorView o, tvm::ffi::TensorView lse) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(q.device().device_type, q.device().device_id));
  set_up(stream);
  biased<<<3072, 256, 0, stream>>>(static_cast<const float*>(q.data_ptr()), g_positions, g_heads, static_cast<float*>(lse.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
