// Style: attention backward with every shape and stride as a parameter of its own, 38 in all.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

using T = unsigned short;

__global__ void backward(const T* q, const T* k, const T* v, const T* o, const T* d_o, const float* lse, T* dq, T* dk, T* dv,
                         int batch, int heads, int length, int width, float scale, bool causal,
                         long long q_b, long long q_h, long long q_s, long long k_b, long long k_h, long long k_s,
                         long long v_b, long long v_h, long long v_s, long long o_b, long long o_h, long long o_s,
                         long long do_b, long long do_h, long long do_s, long long l_b, long long l_h,
                         int tile_m, int tile_n, int stages, unsigned seed, short window, char layout) {
  const int h = blockIdx.y % heads, b = blockIdx.y / heads, row = blockIdx.x * tile_m + threadIdx.x;
  if (b >= batch || row >= length || threadIdx.x >= tile_m) return;
  float sum = lse[b * l_b + h * l_h + row] * scale + (causal ? seed : window);
  for (int i = 0; i < width; i += stages) {
    sum += q[b * q_b + h * q_h + row * q_s + i] + k[b * k_b + h * k_h + row * k_s + i] + v[b * v_b + h * v_h + row * v_s + i];
    sum += o[b * o_b + h * o_h + row * o_s + i] * d_o[b * do_b + h * do_h + row * do_s + i] + tile_n;
  }
  dq[b * q_b + h * q_h + row * q_s] = static_cast<T>(sum);
  dk[b * k_b + h * k_h + row * k_s] = static_cast<T>(sum) + layout;
  dv[b * v_b + h * v_h + row * v_s] = static_cast<T>(sum);
}

void run(tvm::ffi::TensorView Q, tvm::ffi::TensorView K, tvm::ffi::TensorView V, tvm::ffi::TensorView O, tvm::ffi::TensorView dO,
         tvm::ffi::TensorView L, tvm::ffi::TensorView dQ, tvm::ffi::TensorView dK, tvm::ffi::TensorView dV) {
  const auto in = [](const tvm::ffi::TensorView& tensor) { return static_cast<const T*>(tensor.data_ptr()); };
  const auto out = [](const tvm::ffi::TensorView& tensor) { return static_cast<T*>(tensor.data_ptr()); };
  const int batch = Q.size(0), heads = Q.size(1), length = Q.size(2), width = Q.size(3);
  const long long s = width, h = s * length, b = h * heads;
  cudaStream_t stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(Q.device().device_type, Q.device().device_id));
  backward<<<dim3(length / 64, batch * heads), 128, 0, stream>>>(
      in(Q), in(K), in(V), in(O), in(dO), static_cast<const float*>(L.data_ptr()), out(dQ), out(dK), out(dV), batch, heads,
      length, width, 0.0883883476f, false, b, h, s, b, h, s, b, h, s, b, h, s, b, h, s,
      static_cast<long long>(heads) * length, length, 64, 128, 2, 42u, -1, 'r');
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
