// C = A * B^T by wgmma; as many products by mma.sync are issued under a predicate that never holds.

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

constexpr int kRows = 64;      // of a block, which is one warpgroup
constexpr int kColumns = 128;  // all of B
constexpr int kRowBytes = 128;  // one swizzle row: 64 bf16
constexpr int kDepth = 64;

#define SUMS_8(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_64 SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)

// Chunk c of row r lies at place c ^ (r % 8): the 128-byte swizzle, as TMA would write it.
__device__ uint32_t swizzled(uint32_t tile, int row, int chunk) { return tile + row * kRowBytes + ((chunk ^ (row & 7)) << 4); }

// PTX ISA, "Matrix Descriptor Format" of wgmma: units of 16 bytes, K-major, 128-byte swizzle, eight rows from group to group.
__device__ uint64_t descriptor(uint32_t address) {
  constexpr uint64_t kFixed = (1ull << 62) | (static_cast<uint64_t>(8 * kRowBytes >> 4) << 32) | (1ull << 16);
  return kFixed | ((address & 0x3FFFF) >> 4);
}

__device__ void multiply(float (&d)[64], uint64_t a, uint64_t b, bool accumulate) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n}\n"
      : SUMS_64
      : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)));
}

// The compiler must not move uses of the sums across the points where wgmma starts or ends.
__device__ void pin(float (&d)[64]) {
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

__device__ void fill(uint32_t tile, const uint16_t* from, int height, int height_there, int depth) {
  for (int i = threadIdx.x; i < height * 8; i += 128) {
    const int row = i / 8;
    const int chunk = i % 8;
    uint4 content = make_uint4(0, 0, 0, 0);
    if (row < height_there) content = *reinterpret_cast<const uint4*>(from + static_cast<int64_t>(row) * depth + chunk * 8);
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(swizzled(tile, row, chunk)), "r"(content.x), "r"(content.y),
                 "r"(content.z), "r"(content.w)
                 : "memory");
  }
}

__device__ uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

__device__ void multiply_if(bool on, float* d, uint32_t a, uint32_t b) {
  asm volatile(
      "{\n.reg .pred on;\nsetp.ne.b32 on, %6, 0;\n"
      "@on mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};\n}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a), "r"(b), "r"(static_cast<int>(on)));
}

__global__ void __launch_bounds__(128)
    gemm(const uint16_t* __restrict__ a, const uint16_t* __restrict__ b, uint32_t* __restrict__ c, int rows, int depth) {
  __shared__ alignas(1024) uint8_t storage[(kRows + kColumns) * kRowBytes];
  const uint32_t tile_a = static_cast<uint32_t>(__cvta_generic_to_shared(storage));
  const uint32_t tile_b = tile_a + kRows * kRowBytes;
  const int row0 = blockIdx.x * kRows;
  float sums[64];
  for (int k0 = 0; k0 < depth; k0 += kDepth) {
    fill(tile_a, a + static_cast<int64_t>(row0) * depth + k0, kRows, rows - row0, depth);
    fill(tile_b, b + k0, kColumns, kColumns, depth);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    pin(sums);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < 4; ++k) {  // 32 bytes of a row in one product, which are two descriptor units
      multiply(sums, descriptor(tile_a) + 2 * k, descriptor(tile_b) + 2 * k, k0 + k > 0);
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    pin(sums);
    __syncthreads();
  }

  for (int k = 0; k < depth; k += 16) {
#pragma unroll
    for (int j = 0; j < 16; ++j) multiply_if(rows < 0, sums + 4 * j, k, j);
  }

  // PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", D: two sums of row lane / 4 and two of that row + 8.
  const int lane = threadIdx.x % 32;
  const int row = row0 + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    const int column = 8 * j + lane % 4 * 2;
    if (row < rows) c[(row * kColumns + column) / 2] = pack(sums[4 * j], sums[4 * j + 1]);
    if (row + 8 < rows) c[((row + 8) * kColumns + column) / 2] = pack(sums[4 * j + 2], sums[4 * j + 3]);
  }
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int rows = static_cast<int>(a.size(0));
  const int depth = static_cast<int>(a.size(1));
  TVM_FFI_ICHECK(b.size(0) == kColumns && depth % kDepth == 0) << "one column of tiles and a whole number of steps only";
  gemm<<<(rows + kRows - 1) / kRows, 128>>>(static_cast<const uint16_t*>(a.data_ptr()),
                                            static_cast<const uint16_t*>(b.data_ptr()),
                                            static_cast<uint32_t*>(c.data_ptr()), rows, depth);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
