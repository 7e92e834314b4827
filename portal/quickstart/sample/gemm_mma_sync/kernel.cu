// C = A * B^T on the warp-wide tensor path of Ampere: ldmatrix, mma.sync m16n8k16, cp.async.
//
// A [M, K], B [N, K], C [M, N], bf16, contiguous; M and N multiples of 128, K of 64. Right and fairly fast on Hopper, but
// without one instruction of Hopper's own families: the instruction finding must be "absent".
//
// A block of 8 warps makes a 128 x 128 tile of C, a warp 64 x 32. Shared memory holds three stages of A and B tiles, 64 deep:
// a row is 128 bytes, eight 16-byte chunks, and chunk c of row r lies at place c ^ (r % 8), so that the eight rows which one
// ldmatrix phase reads fall into eight different groups of four banks.

#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

namespace tile {
constexpr int kRows = 128;
constexpr int kColumns = 128;
constexpr int kDepth = 64;
constexpr int kStages = 3;
constexpr int kThreads = 256;
constexpr int kRowBytes = kDepth * 2;
constexpr int kOperandBytes = kRows * kRowBytes;  // the A tile; the B tile has the same size
constexpr int kStageBytes = 2 * kOperandBytes;
constexpr int kSharedBytes = kStages * kStageBytes;  // 96 KiB: two blocks fit one multiprocessor
constexpr int kWarpRows = 64;
constexpr int kWarpColumns = 32;
constexpr int kGroup = 16;  // row tiles that run next to each other, so that their B tiles stay in L2
}  // namespace tile

__device__ uint32_t swizzled(uint32_t base, int row, int chunk) {
  return base + row * tile::kRowBytes + ((chunk ^ (row & 7)) << 4);
}

__device__ void load_matrices(uint32_t (&r)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

// Starts the copy of one 128 x 64 tile: 1,024 chunks of 16 bytes, four a thread.
__device__ void copy_tile(uint32_t shared, const uint16_t* global, int depth) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int index = threadIdx.x + i * tile::kThreads;
    const int row = index >> 3;
    const int chunk = index & 7;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(swizzled(shared, row, chunk)),
                 "l"(global + static_cast<int64_t>(row) * depth + chunk * 8));
  }
}

extern "C" __global__ void __launch_bounds__(tile::kThreads, 2)
    gemm_mma_sync(const uint16_t* __restrict__ a, const uint16_t* __restrict__ b,
                  uint32_t* __restrict__ c, int rows, int columns, int depth) {
  extern __shared__ __align__(128) uint8_t storage[];
  const uint32_t shared = static_cast<uint32_t>(__cvta_generic_to_shared(storage));

  // Tiles are walked in bands of kGroup row tiles, rows fastest. The last band may be smaller.
  const int row_tiles = rows / tile::kRows;
  const int band_tiles = tile::kGroup * (columns / tile::kColumns);
  const int band = blockIdx.x / band_tiles;
  const int band_rows = min(tile::kGroup, row_tiles - band * tile::kGroup);
  const int in_band = blockIdx.x % band_tiles;
  const int row0 = (band * tile::kGroup + in_band % band_rows) * tile::kRows;
  const int column0 = in_band / band_rows * tile::kColumns;

  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x / 32 / 4 * tile::kWarpRows;
  const int warp_column = threadIdx.x / 32 % 4 * tile::kWarpColumns;
  const uint16_t* a_tile = a + static_cast<int64_t>(row0) * depth;
  const uint16_t* b_tile = b + static_cast<int64_t>(column0) * depth;
  const int steps = depth / tile::kDepth;

  auto copy_stage = [&](int step) {
    if (step < steps) {
      const uint32_t stage = shared + step % tile::kStages * tile::kStageBytes;
      copy_tile(stage, a_tile + step * tile::kDepth, depth);
      copy_tile(stage + tile::kOperandBytes, b_tile + step * tile::kDepth, depth);
    }
    asm volatile("cp.async.commit_group;");  // an empty group past the end keeps the count simple
  };
#pragma unroll
  for (int step = 0; step < tile::kStages - 1; ++step) copy_stage(step);

  float sum[4][4][4] = {};  // [16 rows][8 columns][fragment]
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(tile::kStages - 2));
    __syncthreads();  // this step's tiles are in; everyone is done with the stage that the next copy fills
    copy_stage(step + tile::kStages - 1);
    const uint32_t a_shared = shared + step % tile::kStages * tile::kStageBytes;
    const uint32_t b_shared = a_shared + tile::kOperandBytes;
#pragma unroll
    for (int k = 0; k < tile::kDepth / 16; ++k) {
      // PTX ISA, "Matrix Fragments for mma.m16n8k16": a0..a3 are the 8 x 8 blocks (rows 0-7, k 0-7), (8-15, 0-7), (0-7, 8-15),
      // (8-15, 8-15); b0, b1 are (k 0-7), (k 8-15) of eight columns. One ldmatrix.x4 of B serves two column blocks.
      uint32_t a_frag[4][4];
      uint32_t b_frag[2][4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        load_matrices(a_frag[i], swizzled(a_shared, warp_row + i * 16 + (lane & 15), 2 * k + (lane >> 4)));
      }
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const int row = warp_column + j * 16 + (lane & 7) + (lane >> 4) * 8;
        load_matrices(b_frag[j], swizzled(b_shared, row, 2 * k + (lane >> 3 & 1)));
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          multiply(sum[i][j], a_frag[i], b_frag[j / 2][j % 2 * 2], b_frag[j / 2][j % 2 * 2 + 1]);
        }
      }
    }
  }

#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int64_t row = row0 + warp_row + i * 16 + lane / 4;
      const int column = column0 + warp_column + j * 8 + lane % 4 * 2;
      c[(row * columns + column) / 2] = pack(sum[i][j][0], sum[i][j][1]);
      c[((row + 8) * columns + column) / 2] = pack(sum[i][j][2], sum[i][j][3]);
    }
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int rows = static_cast<int>(a.size(0));
  const int depth = static_cast<int>(a.size(1));
  const int columns = static_cast<int>(b.size(0));
  if (rows % tile::kRows != 0 || columns % tile::kColumns != 0 || depth % tile::kDepth != 0) {
    TVM_FFI_THROW(ValueError) << "no whole tiles: " << rows << " x " << columns << " x " << depth;
  }

  // The dynamic limit is raised in every call: cheap, and it needs no state.
  cudaError_t error = cudaFuncSetAttribute(gemm_mma_sync, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           tile::kSharedBytes);
  TVM_FFI_ICHECK(error == cudaSuccess) << "shared memory: " << cudaGetErrorString(error);

  auto* stream = TVMFFIEnvGetStream(a.device().device_type, a.device().device_id);
  const int tiles = rows / tile::kRows * (columns / tile::kColumns);
  gemm_mma_sync<<<tiles, tile::kThreads, tile::kSharedBytes, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const uint16_t*>(a.data_ptr()), static_cast<const uint16_t*>(b.data_ptr()),
      static_cast<uint32_t*>(c.data_ptr()), rows, columns, depth);
  error = cudaGetLastError();
  TVM_FFI_ICHECK(error == cudaSuccess) << "launch: " << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
