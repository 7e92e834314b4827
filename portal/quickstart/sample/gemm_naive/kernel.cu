// C = A * B^T in plain FMA: no tensor core, no shared memory, no asynchronous copy.
//
// A [M, K], B [N, K], C [M, N], all bf16 and contiguous. The honest floor of the suite: right, slow, and without a single
// instruction of the target family. Each thread owns a 4 x 4 tile of C with stride 16, so that the 16 neighbours of a row
// write 32 contiguous bytes.

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

constexpr int kThreads = 16;             // threads a side of the block
constexpr int kTile = 4;                 // outputs a side of one thread's tile
constexpr int kBlock = kThreads * kTile;  // outputs a side of one block: 64
constexpr int kVector = 8;               // bf16 in one 16-byte load

__device__ void unpack(const uint4& packed, float (&out)[kVector]) {
  const __nv_bfloat162* pairs = reinterpret_cast<const __nv_bfloat162*>(&packed);
#pragma unroll
  for (int i = 0; i < kVector / 2; ++i) {
    const float2 pair = __bfloat1622float2(pairs[i]);
    out[2 * i] = pair.x;
    out[2 * i + 1] = pair.y;
  }
}

__global__ void __launch_bounds__(kThreads* kThreads)
    gemm_naive(const __nv_bfloat16* __restrict__ a, const __nv_bfloat16* __restrict__ b,
               __nv_bfloat16* __restrict__ c, int rows, int columns, int depth) {
  const int row0 = blockIdx.y * kBlock + threadIdx.y;
  const int column0 = blockIdx.x * kBlock + threadIdx.x;

  // A row past the edge reads the last row instead: the loop needs no branch, and its result is not stored.
  const __nv_bfloat16* a_row[kTile];
  const __nv_bfloat16* b_row[kTile];
#pragma unroll
  for (int i = 0; i < kTile; ++i) {
    a_row[i] = a + static_cast<long long>(min(row0 + i * kThreads, rows - 1)) * depth;
    b_row[i] = b + static_cast<long long>(min(column0 + i * kThreads, columns - 1)) * depth;
  }

  float sum[kTile][kTile] = {};
  for (int k = 0; k < depth; k += kVector) {
    float a_value[kTile][kVector];
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
      unpack(*reinterpret_cast<const uint4*>(a_row[i] + k), a_value[i]);
    }
#pragma unroll
    for (int j = 0; j < kTile; ++j) {
      float b_value[kVector];
      unpack(*reinterpret_cast<const uint4*>(b_row[j] + k), b_value);
#pragma unroll
      for (int i = 0; i < kTile; ++i) {
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
          sum[i][j] = fmaf(a_value[i][v], b_value[v], sum[i][j]);
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < kTile; ++i) {
#pragma unroll
    for (int j = 0; j < kTile; ++j) {
      const int row = row0 + i * kThreads;
      const int column = column0 + j * kThreads;
      if (row < rows && column < columns) {
        c[static_cast<long long>(row) * columns + column] = __float2bfloat16(sum[i][j]);
      }
    }
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int rows = static_cast<int>(a.size(0));
  const int depth = static_cast<int>(a.size(1));
  const int columns = static_cast<int>(b.size(0));
  TVM_FFI_ICHECK(b.size(1) == depth) << "A and B differ in their depth";
  TVM_FFI_ICHECK(depth % kVector == 0) << "the depth must be a multiple of " << kVector;

  const DLDevice device = a.device();
  cudaSetDevice(device.device_id);
  const auto stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  const dim3 grid((columns + kBlock - 1) / kBlock, (rows + kBlock - 1) / kBlock);
  gemm_naive<<<grid, dim3(kThreads, kThreads), 0, stream>>>(
      static_cast<const __nv_bfloat16*>(a.data_ptr()),
      static_cast<const __nv_bfloat16*>(b.data_ptr()), static_cast<__nv_bfloat16*>(c.data_ptr()),
      rows, columns, depth);
  const cudaError_t error = cudaGetLastError();
  TVM_FFI_ICHECK(error == cudaSuccess) << "gemm_naive: " << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
