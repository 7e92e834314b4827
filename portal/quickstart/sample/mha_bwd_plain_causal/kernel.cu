// Attention backward in plain FMA, head size 128: no tensor core anywhere.
//
// Q, K, V, O, dO [B, H, S, 128] bf16 and L [B, H, S] fp32 (natural log-sum-exp of the forward) give dQ, dK, dV, bf16; S is a
// multiple of 64. With P = exp(scale Q K^T - L), delta = rowsum(O * dO) and dS = P * (dO V^T - delta):
//   dV = P^T dO,   dK = scale dS^T Q,   dQ = scale dS K,   masked to keys <= query where kCausal is set.
// The files of the two cases, mha_bwd_plain and mha_bwd_plain_causal, differ in that line alone.
//
// Three kernels a call. (1) delta, one warp a row. (2) A block owns 64 keys of one head and walks the queries in tiles of 64; dK
// and dV stay in registers, dQ is added in fp32 to a zeroed workspace, since many blocks add to each row. (3) dQ is scaled and
// rounded.
// Tiles are kept in fp32, each row padded by 16 bytes so that the same column of eight rows lies in eight groups of four banks.

#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

constexpr bool kCausal = true;

constexpr int kHead = 128;
constexpr int kTile = 64;           // keys of a block, and queries of a step
constexpr int kThreads = 256;       // 16 x 16
constexpr int kPitch = kHead + 4;   // floats
constexpr int kPitchP = kTile + 16;  // floats: 16 more, so that two rows written by one warp use different banks
constexpr int kSharedFloats = 4 * kTile * kPitch + 2 * kTile * kPitchP + 2 * kTile;
constexpr float kScale = 0.08838834764831845f;  // 1 / sqrt(128)
constexpr float kLog2e = 1.4426950408889634f;

// A bf16 is the upper half of a float.
__device__ float low_half(uint32_t pair) { return __uint_as_float(pair << 16); }
__device__ float high_half(uint32_t pair) { return __uint_as_float(pair & 0xFFFF0000u); }

__device__ uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

__device__ float4 row4(const float* tile, int pitch, int row, int column) {
  return *reinterpret_cast<const float4*>(tile + row * pitch + column);
}

__device__ float dot4(float4 a, float4 b, float sum) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, sum))));
}

__device__ void add_scaled(float4& sum, float s, float4 v) {
  sum.x = fmaf(s, v.x, sum.x);
  sum.y = fmaf(s, v.y, sum.y);
  sum.z = fmaf(s, v.z, sum.z);
  sum.w = fmaf(s, v.w, sum.w);
}

__device__ float element(float4 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w; }

// Copies 64 rows of 128 bf16 into a padded fp32 tile: 1,024 vectors of 8 elements, four a thread.
__device__ void load_tile(float* tile, const uint16_t* global) {
#pragma unroll
  for (int i = 0; i < kTile * kHead / 8 / kThreads; ++i) {
    const int index = threadIdx.x + i * kThreads;
    const uint4 packed = *reinterpret_cast<const uint4*>(global + index * 8);
    float4* to = reinterpret_cast<float4*>(tile + index / 16 * kPitch + index % 16 * 8);
    to[0] = make_float4(low_half(packed.x), high_half(packed.x), low_half(packed.y), high_half(packed.y));
    to[1] = make_float4(low_half(packed.z), high_half(packed.z), low_half(packed.w), high_half(packed.w));
  }
}

__global__ void __launch_bounds__(kThreads)
    row_delta(const uint2* __restrict__ o, const uint2* __restrict__ grad_o, float* __restrict__ delta, int rows) {
  const int row = blockIdx.x * (kThreads / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const uint2 a = o[static_cast<int64_t>(row) * 32 + lane];
  const uint2 b = grad_o[static_cast<int64_t>(row) * 32 + lane];
  float sum = low_half(a.x) * low_half(b.x) + high_half(a.x) * high_half(b.x);
  sum += low_half(a.y) * low_half(b.y) + high_half(a.y) * high_half(b.y);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (lane == 0) delta[row] = sum;
}

__global__ void __launch_bounds__(kThreads, 1)
    gradients(const uint16_t* __restrict__ q, const uint16_t* __restrict__ k, const uint16_t* __restrict__ v,
              const uint16_t* __restrict__ grad_o, const float* __restrict__ lse, const float* __restrict__ delta,
              float* __restrict__ sum_q, uint16_t* __restrict__ grad_k, uint16_t* __restrict__ grad_v, int sequence) {
  extern __shared__ __align__(16) float storage[];
  float* tile_q = storage;
  float* tile_do = tile_q + kTile * kPitch;
  float* tile_k = tile_do + kTile * kPitch;
  float* tile_v = tile_k + kTile * kPitch;
  float* tile_p = tile_v + kTile * kPitch;
  float* tile_ds = tile_p + kTile * kPitchP;
  float* row_lse = tile_ds + kTile * kPitchP;
  float* row_sum = row_lse + kTile;

  const int x = threadIdx.x % 16;
  const int y = threadIdx.x / 16;
  const int64_t head_row = static_cast<int64_t>(blockIdx.y) * sequence;
  const int key0 = blockIdx.x * kTile;
  load_tile(tile_k, k + (head_row + key0) * kHead);
  load_tile(tile_v, v + (head_row + key0) * kHead);

  // This thread's part of dK and dV: keys 4y..4y+3, columns 4x..4x+3 and 64 more.
  float4 sum_k[4][2] = {};
  float4 sum_v[4][2] = {};

  for (int query0 = kCausal ? key0 : 0; query0 < sequence; query0 += kTile) {
    __syncthreads();  // the step before is done with its tiles
    load_tile(tile_q, q + (head_row + query0) * kHead);
    load_tile(tile_do, grad_o + (head_row + query0) * kHead);
    if (threadIdx.x < kTile) {
      row_lse[threadIdx.x] = lse[head_row + query0 + threadIdx.x] * kLog2e;
      row_sum[threadIdx.x] = delta[head_row + query0 + threadIdx.x];
    }
    __syncthreads();

    // Scores and dP for queries y + 16 i and keys x + 16 j.
    float score[4][4] = {};
    float grad_p[4][4] = {};
#pragma unroll 2
    for (int d = 0; d < kHead; d += 4) {
      float4 a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = row4(tile_q, kPitch, y + 16 * i, d);
        b[i] = row4(tile_k, kPitch, x + 16 * i, d);
      }
#pragma unroll
      for (int i = 0; i < 16; ++i) score[i / 4][i % 4] = dot4(a[i / 4], b[i % 4], score[i / 4][i % 4]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = row4(tile_do, kPitch, y + 16 * i, d);
        b[i] = row4(tile_v, kPitch, x + 16 * i, d);
      }
#pragma unroll
      for (int i = 0; i < 16; ++i) grad_p[i / 4][i % 4] = dot4(a[i / 4], b[i % 4], grad_p[i / 4][i % 4]);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int query = y + 16 * i;
        const int key = x + 16 * j;
        const bool hidden = kCausal && key0 + key > query0 + query;
        const float p = hidden ? 0.f : exp2f(fmaf(score[i][j], kScale * kLog2e, -row_lse[query]));
        tile_p[query * kPitchP + key] = p;
        tile_ds[query * kPitchP + key] = p * (grad_p[i][j] - row_sum[query]);
      }
    }
    __syncthreads();

#pragma unroll 2
    for (int query = 0; query < kTile; ++query) {
      const float4 p = row4(tile_p, kPitchP, query, 4 * y);
      const float4 ds = row4(tile_ds, kPitchP, query, 4 * y);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 grad = row4(tile_do, kPitch, query, 4 * x + 64 * half);
        const float4 value = row4(tile_q, kPitch, query, 4 * x + 64 * half);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          add_scaled(sum_v[i][half], element(p, i), grad);
          add_scaled(sum_k[i][half], element(ds, i), value);
        }
      }
    }

    // dQ of queries 4y..4y+3, columns 4x..4x+3 and 64 more, from this block's keys.
    float4 part[4][2] = {};
    for (int key = 0; key < kTile; key += 4) {
      float4 ds[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) ds[i] = row4(tile_ds, kPitchP, 4 * y + i, key);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const float4 value = row4(tile_k, kPitch, key + j, 4 * x + 64 * half);
#pragma unroll
          for (int i = 0; i < 4; ++i) add_scaled(part[i][half], element(ds[i], j), value);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float* to = sum_q + (head_row + query0 + 4 * y + i / 2) * kHead + 4 * x + i % 2 * 64;
      const float4 add = part[i / 2][i % 2];
      asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(add.x), "f"(add.y), "f"(add.z),
                   "f"(add.w)
                   : "memory");
    }
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int64_t at = (head_row + key0 + 4 * y + i / 2) * kHead + 4 * x + i % 2 * 64;
    const float4 a = sum_k[i / 2][i % 2];
    const float4 b = sum_v[i / 2][i % 2];
    *reinterpret_cast<uint2*>(grad_k + at) = make_uint2(pack(a.x * kScale, a.y * kScale), pack(a.z * kScale, a.w * kScale));
    *reinterpret_cast<uint2*>(grad_v + at) = make_uint2(pack(b.x, b.y), pack(b.z, b.w));
  }
}

__global__ void __launch_bounds__(kThreads) round_grad_q(const float4* __restrict__ sum_q, uint2* __restrict__ grad_q, int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) return;
  const float4 s = sum_q[i];
  grad_q[i] = make_uint2(pack(s.x * kScale, s.y * kScale), pack(s.z * kScale, s.w * kScale));
}

// Memory that lives from the first call on, and grows if a later call needs more.
struct Scratch {
  float* data = nullptr;
  size_t bytes = 0;

  float* at_least(size_t wanted) {
    if (bytes < wanted) {
      cudaFree(data);
      const cudaError_t error = cudaMalloc(&data, wanted);
      TVM_FFI_ICHECK(error == cudaSuccess) << "delta workspace: " << cudaGetErrorString(error);
      bytes = wanted;
    }
    return data;
  }
};

void run(tvm::ffi::TensorView q, tvm::ffi::TensorView k, tvm::ffi::TensorView v, tvm::ffi::TensorView o,
         tvm::ffi::TensorView grad_o, tvm::ffi::TensorView lse, tvm::ffi::TensorView grad_q, tvm::ffi::TensorView grad_k,
         tvm::ffi::TensorView grad_v) {
  const int heads = static_cast<int>(q.size(0) * q.size(1));
  const int sequence = static_cast<int>(q.size(2));
  const int rows = heads * sequence;
  TVM_FFI_ICHECK(q.size(3) == kHead && sequence % kTile == 0) << "head size 128 and whole tiles only";
  const DLDevice device = q.device();
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  auto check = [](cudaError_t error, const char* what) {
    TVM_FFI_ICHECK(error == cudaSuccess) << what << ": " << cudaGetErrorString(error);
  };
  auto bf16 = [](tvm::ffi::TensorView tensor) { return static_cast<uint16_t*>(tensor.data_ptr()); };

  static Scratch scratch;
  float* delta = scratch.at_least(sizeof(float) * rows);
  float* sum_q = nullptr;
  const size_t sum_bytes = sizeof(float) * kHead * rows;
  check(cudaMallocAsync(reinterpret_cast<void**>(&sum_q), sum_bytes, stream), "dQ workspace");
  check(cudaMemsetAsync(sum_q, 0, sum_bytes, stream), "memset");

  row_delta<<<(rows + 7) / 8, kThreads, 0, stream>>>(static_cast<const uint2*>(o.data_ptr()),
                                                     static_cast<const uint2*>(grad_o.data_ptr()), delta, rows);
  check(cudaGetLastError(), "row_delta");

  constexpr int kSharedBytes = kSharedFloats * sizeof(float);
  check(cudaFuncSetAttribute(gradients, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes), "shared memory");
  gradients<<<dim3(sequence / kTile, heads), kThreads, kSharedBytes, stream>>>(
      bf16(q), bf16(k), bf16(v), bf16(grad_o), static_cast<const float*>(lse.data_ptr()), delta, sum_q, bf16(grad_k), bf16(grad_v),
      sequence);
  check(cudaGetLastError(), "gradients");

  const int vectors = rows * (kHead / 4);
  round_grad_q<<<(vectors + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      reinterpret_cast<const float4*>(sum_q), static_cast<uint2*>(grad_q.data_ptr()), vectors);
  check(cudaGetLastError(), "round_grad_q");
  check(cudaFreeAsync(sum_q, stream), "free");
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
