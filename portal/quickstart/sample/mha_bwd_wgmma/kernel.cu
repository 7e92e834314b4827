// Attention backward on wgmma and TMA, head size 128.
//
// Q, K, V, O, dO [B, H, S, 128] bf16 and L [B, H, S] fp32 (natural log-sum-exp of the forward) give dQ, dK, dV, bf16; S is a
// multiple of 128. With P = exp(scale Q K^T - L), delta = rowsum(O * dO) and dS = P * (dO V^T - delta):
//   dV = P^T dO,   dK = scale dS^T Q,   dQ = scale dS K,   masked to keys <= query where kCausal is set.
// The files of the two cases, mha_bwd_wgmma and mha_bwd_wgmma_causal, differ in that line alone.
//
// Three kernels a call. (1) delta and L in base 2, one warp a row. (2) A block owns 128 keys of one head and walks the queries in
// tiles of 64: two warpgroups with 64 keys each, and a third that gives its registers away and feeds Q and dO through a ring of
// two. All is computed transposed, keys along rows: then P^T and dS^T have, as accumulators, the layout that wgmma wants for its A
// operand, and dV and dK never leave registers. dQ needs the keys of both warpgroups, so dS^T goes through shared memory, and each
// warpgroup multiplies it with one half of the head size. Many blocks add to each row of dQ, in fp32 to a zeroed workspace, whose
// order is that of the accumulators. (3) dQ is scaled, rounded and put in its own order.

#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

constexpr bool kCausal = false;

constexpr int kHead = 128;
constexpr int kRows = 64;                        // of every tile: keys of a warpgroup, queries of a step
constexpr int kKeys = 2 * kRows;                 // of a block
constexpr int kStages = 2;
constexpr int kThreads = 3 * 128;
constexpr int kSwizzleRow = 128;                 // bytes: 64 bf16, half a head
constexpr int kBytesBox = kRows * kSwizzleRow;
constexpr int kBytesTile = 2 * kBytesBox;        // 64 rows of a head: two boxes, columns 0 to 63 and 64 to 127
constexpr int kBytesTerms = kRows * sizeof(float2);
constexpr int kVectorsHalf = kRows * kHead / 8;  // float4 of half a dQ tile, which a warpgroup adds
constexpr int kSharedBytes = (2 + 2 + 3 * kStages) * kBytesTile + kStages * kBytesTerms + 1024;
constexpr float kScale = 0.08838834764831845f;   // 1 / sqrt(128)
constexpr float kLog2e = 1.4426950408889634f;

// ---- barriers and copies ---------------------------------------------------------------------------------------------------

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ void barrier_init(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ void barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}\n" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ void barrier_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ void barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ void barrier_named(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// What was written to shared memory becomes visible to wgmma and TMA, once a barrier was passed behind it.
__device__ void fence_writes() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The maps see a row as 2 halves of 64 bf16: dimensions (64, rows, 2), so one copy brings both swizzled boxes.
__device__ void load(uint32_t to, const CUtensorMap* map, int row, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2}], [%4];" ::"r"(to),
      "l"(map), "r"(0), "r"(row), "r"(barrier) : "memory");
}

__device__ void load_terms(uint32_t to, const float2* from, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
               "n"(kBytesTerms), "r"(barrier) : "memory");
}

__device__ void store(const CUtensorMap* map, int row, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %1}], [%3];" ::"l"(map), "r"(0), "r"(row),
               "r"(from) : "memory");
}

// ---- matrix work -----------------------------------------------------------------------------------------------------------

// PTX ISA, "Matrix Descriptor Format" of wgmma: address, leading and stride byte offsets in units of 16 bytes, mode 1 in bits
// 62-63 for the 128-byte swizzle. The stride offset is eight rows of 128 bytes in all uses here. The leading offset matters where
// rows run along N and N is 128: it is the distance to the box with the next 64 columns.
__device__ uint64_t descriptor(uint32_t address) {
  constexpr uint64_t kFixed = (1ull << 62) | (static_cast<uint64_t>(8 * kSwizzleRow >> 4) << 32) |
                              (static_cast<uint64_t>(kBytesBox >> 4) << 16);
  return kFixed | ((address & 0x3FFFF) >> 4);
}

#define SUMS_8(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32 SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24)
#define SUMS_64 SUMS_32, SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)
#define NAMES_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64 \
  NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

// Both operands in shared memory: K-major, or both transposed, their rows along M and N.
template <bool kTransposed>
__device__ void multiply_shared(float (&d)[32], uint64_t a, uint64_t b, bool accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32 "}, %32, %33, p, 1, 1, %35, %35;\n}\n"
               : SUMS_32
               : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)), "n"(static_cast<int>(kTransposed)));
}

// A in registers, B transposed. Always adds.
__device__ void multiply_registers(float (&d)[64], const uint32_t* a, uint64_t b) {
  asm volatile("{\n.reg .pred p;\nsetp.eq.b32 p, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64 "}, {%64, %65, %66, %67}, %68, p, 1, 1, 1;\n}\n"
               : SUMS_64
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// The compiler must not move uses of the sums across the points where wgmma starts or ends.
template <int kCount>
__device__ void pin(float (&d)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

__device__ void start_multiply() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit_multiply() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ void wait_multiply() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Keys (or values) times queries (or dO): 64 x 64, summed over the head size.
__device__ void start_scores(float (&scores)[32], uint32_t keys, uint32_t queries) {
  const uint64_t a = descriptor(keys);
  const uint64_t b = descriptor(queries);
  pin(scores);
  start_multiply();
#pragma unroll
  for (int i = 0; i < kHead / 16; ++i) {  // 16 bf16 further are 32 bytes; after 64 of them comes the next box
    const int step = (i / 4 * kBytesBox + i % 4 * 32) / 16;
    multiply_shared<false>(scores, a + step, b + step, i > 0);
  }
  commit_multiply();
}

// P^T dO or dS^T Q: 64 keys x head size, summed over the queries of a tile.
__device__ void start_gradient(float (&gradient)[64], const uint32_t (&weights)[16], uint32_t queries) {
  const uint64_t b = descriptor(queries);
  start_multiply();
#pragma unroll
  for (int i = 0; i < kRows / 16; ++i) multiply_registers(gradient, weights + 4 * i, b + i * 16 * kSwizzleRow / 16);
  commit_multiply();
}

// dS K: 64 queries x one half of the head size, summed over the keys of both warpgroups.
__device__ void start_grad_q(float (&grad_q)[32], uint32_t weights, uint32_t keys) {
  const uint64_t a = descriptor(weights);
  const uint64_t b = descriptor(keys);
  pin(grad_q);
  start_multiply();
#pragma unroll
  for (int i = 0; i < kKeys / 16; ++i) {
    multiply_shared<true>(grad_q, a + i * 16 * kSwizzleRow / 16, b + (i / 4 * kBytesTile + i % 4 * 16 * kSwizzleRow) / 16, i > 0);
  }
  commit_multiply();
}

__device__ uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

__device__ float exp2_fast(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

// ---- the parts of a thread ---------------------------------------------------------------------------------------------------
//
// Of an accumulator a thread holds rows `row` and `row + 8`, and of every eight columns the two from 2 * (lane % 4) on.

struct Place {
  int thread = threadIdx.x % 128;
  int lane = threadIdx.x % 32;
  int row = thread / 32 * 16 + lane / 4;
};

__device__ void mask_hidden(float (&scores)[32], const Place& me, int first_key, int first_query) {
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const int key = first_key + me.row + (i & 2) * 4;
    const int query = first_query + i / 4 * 8 + me.lane % 4 * 2 + (i & 1);
    if (key > query) scores[i] = -INFINITY;
  }
}

// L and delta of the two queries whose scores stand at 4 * i of the sums.
__device__ float4 terms_of(uint32_t terms, const Place& me, int i) {
  float4 two;
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(two.x), "=f"(two.y), "=f"(two.z), "=f"(two.w)
               : "r"(terms + (i * 8 + me.lane % 4 * 2) * static_cast<int>(sizeof(float2)))
               : "memory");
  return two;
}

// 64 rows x 8 kCount columns of packed sums into swizzled boxes, 16 columns in one stmatrix.
template <int kCount>
__device__ void write_boxes(uint32_t to, const uint32_t (&packed)[kCount], const Place& me) {
  const int row = me.thread / 32 * 16 + me.lane % 16;
#pragma unroll
  for (int i = 0; i < kCount / 2; i += 2) {
    const int chunk = (i + me.lane / 16) % 8;
    const uint32_t* p = packed + 2 * i;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     to + i / 8 * kBytesBox + row * kSwizzleRow + ((chunk ^ (row & 7)) << 4)),
                 "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3])
                 : "memory");
  }
}

__device__ void write_gradient(uint32_t to, const float (&gradient)[64], float scale, const Place& me) {
  uint32_t packed[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) packed[i] = pack(gradient[2 * i] * scale, gradient[2 * i + 1] * scale);
  write_boxes(to, packed, me);
}

// ---- kernels ---------------------------------------------------------------------------------------------------------------

__device__ float low_half(uint32_t pair) { return __uint_as_float(pair << 16); }
__device__ float high_half(uint32_t pair) { return __uint_as_float(pair & 0xFFFF0000u); }

__global__ void __launch_bounds__(256) row_terms(const uint2* __restrict__ o, const uint2* __restrict__ grad_o,
                                                 const float* __restrict__ lse, float2* __restrict__ terms, int rows) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const uint2 a = o[static_cast<int64_t>(row) * 32 + lane];
  const uint2 b = grad_o[static_cast<int64_t>(row) * 32 + lane];
  float sum = low_half(a.x) * low_half(b.x) + high_half(a.x) * high_half(b.x);
  sum += low_half(a.y) * low_half(b.y) + high_half(a.y) * high_half(b.y);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (lane == 0) terms[row] = make_float2(lse[row] * kLog2e, sum);
}

__global__ void __launch_bounds__(kThreads, 1)
    gradients(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_k,
              const __grid_constant__ CUtensorMap map_v, const __grid_constant__ CUtensorMap map_grad_o,
              const __grid_constant__ CUtensorMap map_grad_k, const __grid_constant__ CUtensorMap map_grad_v,
              const float2* __restrict__ terms, float4* __restrict__ sums_q, int sequence) {
  extern __shared__ uint8_t storage[];
  __shared__ alignas(8) uint64_t barriers[1 + 2 * kStages];
  const uint32_t tiles_k = (shared_address(storage) + 1023) & ~1023u;
  const uint32_t tiles_v = tiles_k + 2 * kBytesTile;
  const uint32_t tiles_q = tiles_v + 2 * kBytesTile;
  const uint32_t tiles_grad_o = tiles_q + kStages * kBytesTile;
  const uint32_t tiles_ds = tiles_grad_o + kStages * kBytesTile;  // transposed: 128 keys x 64 queries
  const uint32_t tiles_terms = tiles_ds + kStages * kBytesTile;
  const uint32_t keys_full = shared_address(barriers);
  const uint32_t full = keys_full + 8, empty = full + 8 * kStages;

  // Blocks of one head begin with different queries, so that they do not add to the same rows of dQ at once. Causal ones begin on
  // the diagonal, and those with the most queries start first.
  const int all_tiles = sequence / kRows;
  const int first_tile = kKeys / kRows * blockIdx.x;
  const int tiles = kCausal ? all_tiles - first_tile : all_tiles;
  const int head_row = blockIdx.y * sequence;
  const int key_row = head_row + blockIdx.x * kKeys;
  auto tile_at = [&](int i) { return first_tile + i < all_tiles ? first_tile + i : first_tile + i - all_tiles; };

  if (threadIdx.x == 0) {
    barrier_init(keys_full, 1);
    for (int s = 0; s < kStages; ++s) {
      barrier_init(full + 8 * s, 1);
      barrier_init(empty + 8 * s, 8);  // one arrival a warp
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  if (threadIdx.x >= 256) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 256) {
      barrier_expect(keys_full, 4 * kBytesTile);
      for (int w = 0; w < 2; ++w) {
        load(tiles_k + w * kBytesTile, &map_k, key_row + w * kRows, keys_full);
        load(tiles_v + w * kBytesTile, &map_v, key_row + w * kRows, keys_full);
      }
      for (int i = 0; i < tiles; ++i) {
        const int slot = i % kStages;
        const int row = head_row + tile_at(i) * kRows;
        barrier_wait(empty + 8 * slot, i / kStages % 2 ^ 1);
        barrier_expect(full + 8 * slot, 2 * kBytesTile + kBytesTerms);
        load(tiles_q + slot * kBytesTile, &map_q, row, full + 8 * slot);
        load(tiles_grad_o + slot * kBytesTile, &map_grad_o, row, full + 8 * slot);
        load_terms(tiles_terms + slot * kBytesTerms, terms + row, full + 8 * slot);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");

  const Place me;
  const int warpgroup = threadIdx.x / 128;
  const uint32_t my_k = tiles_k + warpgroup * kBytesTile;
  const uint32_t my_v = tiles_v + warpgroup * kBytesTile;
  float grad_k[64] = {}, grad_v[64] = {};
  float scores[32], grad_p[32], grad_q[32];
  uint32_t p[16], ds[16];

  barrier_wait(keys_full, 0);
  for (int i = 0; i < tiles; ++i) {
    const int slot = i % kStages;
    const uint32_t tile_q = tiles_q + slot * kBytesTile;
    const uint32_t tile_grad_o = tiles_grad_o + slot * kBytesTile;
    const uint32_t tile_ds = tiles_ds + slot * kBytesTile;
    const uint32_t my_terms = tiles_terms + slot * kBytesTerms;
    barrier_wait(full + 8 * slot, i / kStages % 2);
    start_scores(scores, my_k, tile_q);
    start_scores(grad_p, my_v, tile_grad_o);
    wait_multiply<1>();  // the scores; the tensor cores are at dP
    pin(scores);
    if (kCausal && i < 2) mask_hidden(scores, me, warpgroup * kRows, i * kRows);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float4 two = terms_of(my_terms, me, j);
#pragma unroll
      for (int r = 4 * j; r < 4 * j + 4; r += 2) {
        scores[r] = exp2_fast(fmaf(scores[r], kScale * kLog2e, -two.x));
        scores[r + 1] = exp2_fast(fmaf(scores[r + 1], kScale * kLog2e, -two.z));
        p[r / 2] = pack(scores[r], scores[r + 1]);
      }
    }
    start_gradient(grad_v, p, tile_grad_o);
    wait_multiply<1>();  // dP; the tensor cores are at dV
    pin(grad_p);
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float4 two = terms_of(my_terms, me, j);
#pragma unroll
      for (int r = 4 * j; r < 4 * j + 4; r += 2) {
        ds[r / 2] = pack(scores[r] * (grad_p[r] - two.y), scores[r + 1] * (grad_p[r + 1] - two.w));
      }
    }
    start_gradient(grad_k, ds, tile_q);
    write_boxes(tile_ds + warpgroup * kBytesBox, ds, me);
    fence_writes();
    barrier_named(1, 256);  // dS of both warpgroups is written; its slot is free again when all pass here for the next tile
    start_grad_q(grad_q, tile_ds, tiles_k + warpgroup * kBytesBox);
    wait_multiply<0>();
    pin(grad_v);
    pin(grad_k);
    pin(grad_q);
    if (me.lane == 0) barrier_arrive(empty + 8 * slot);

    float4* to = sums_q + ((blockIdx.y * all_tiles + tile_at(i)) * 2 + warpgroup) * kVectorsHalf + me.thread;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const float* sum = grad_q + 4 * j;
      asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to + j * 128), "f"(sum[0]), "f"(sum[1]),
                   "f"(sum[2]), "f"(sum[3])
                   : "memory");
    }
  }

  barrier_named(1, 256);  // nobody reads K and V any more, whose places dK and dV take
  write_gradient(my_k, grad_k, kScale, me);
  write_gradient(my_v, grad_v, 1.f, me);
  fence_writes();
  barrier_named(2 + warpgroup, 128);
  if (me.thread == 0) {
    store(&map_grad_k, key_row + warpgroup * kRows, my_k);
    store(&map_grad_v, key_row + warpgroup * kRows, my_v);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// Four threads of a warpgroup have put the sums of 8 columns of two rows side by side: these are one thread's here.
__global__ void __launch_bounds__(256) round_grad_q(const float4* __restrict__ sums_q, uint4* __restrict__ grad_q, int count) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= count) return;
  const int four = i % 32;
  const int chunk = i / 32 % 16;
  const int row = i / 512 * kRows + four / 8 * 16 + four % 8;
  const float4* s = sums_q + static_cast<int64_t>(i) * 4;
  uint32_t upper[4], lower[4];
#pragma unroll
  for (int t = 0; t < 4; ++t) {
    const float4 sum = s[t];
    upper[t] = pack(sum.x * kScale, sum.y * kScale);
    lower[t] = pack(sum.z * kScale, sum.w * kScale);
  }
  grad_q[row * 16 + chunk] = make_uint4(upper[0], upper[1], upper[2], upper[3]);
  grad_q[(row + 8) * 16 + chunk] = make_uint4(lower[0], lower[1], lower[2], lower[3]);
}

// ---- host ------------------------------------------------------------------------------------------------------------------

struct MapMaker {
  decltype(&cuTensorMapEncodeTiled) encode = nullptr;

  MapMaker() {
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode),
                                                               12000, cudaEnableDefault, &found);
    TVM_FFI_ICHECK(error == cudaSuccess && found == cudaDriverEntryPointSuccess) << "no cuTensorMapEncodeTiled";
  }

  CUtensorMap operator()(tvm::ffi::TensorView tensor) const {
    const auto rows = static_cast<cuuint64_t>(tensor.size(0) * tensor.size(1) * tensor.size(2));
    const cuuint64_t sizes[3] = {64, rows, 2};
    const cuuint64_t strides[2] = {kHead * 2, kSwizzleRow};  // bytes to the next row, to the other half
    const cuuint32_t box[3] = {64, kRows, 2};
    const cuuint32_t steps[3] = {1, 1, 1};
    CUtensorMap map;
    const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, tensor.data_ptr(), sizes, strides, box, steps,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    TVM_FFI_ICHECK(result == CUDA_SUCCESS) << "cuTensorMapEncodeTiled: " << static_cast<int>(result);
    return map;
  }
};

void run(tvm::ffi::TensorView q, tvm::ffi::TensorView k, tvm::ffi::TensorView v, tvm::ffi::TensorView o,
         tvm::ffi::TensorView grad_o, tvm::ffi::TensorView lse, tvm::ffi::TensorView grad_q, tvm::ffi::TensorView grad_k,
         tvm::ffi::TensorView grad_v) {
  const int heads = static_cast<int>(q.size(0) * q.size(1));
  const int sequence = static_cast<int>(q.size(2));
  const int rows = heads * sequence;
  TVM_FFI_ICHECK(q.size(3) == kHead && sequence % kKeys == 0) << "head size 128 and whole tiles only";
  const DLDevice device = q.device();
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  auto check = [](cudaError_t error, const char* what) {
    TVM_FFI_ICHECK(error == cudaSuccess) << what << ": " << cudaGetErrorString(error);
  };

  float4* sums_q = nullptr;
  float2* terms = nullptr;
  const size_t sum_bytes = sizeof(float) * kHead * rows;
  check(cudaMallocAsync(reinterpret_cast<void**>(&sums_q), sum_bytes, stream), "dQ workspace");
  check(cudaMallocAsync(reinterpret_cast<void**>(&terms), sizeof(float2) * rows, stream), "row terms");
  check(cudaMemsetAsync(sums_q, 0, sum_bytes, stream), "memset");

  row_terms<<<(rows + 7) / 8, 256, 0, stream>>>(static_cast<const uint2*>(o.data_ptr()),
                                                static_cast<const uint2*>(grad_o.data_ptr()),
                                                static_cast<const float*>(lse.data_ptr()), terms, rows);
  check(cudaGetLastError(), "row_terms");

  const MapMaker map;
  check(cudaFuncSetAttribute(gradients, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes), "shared memory");
  gradients<<<dim3(sequence / kKeys, heads), kThreads, kSharedBytes, stream>>>(map(q), map(k), map(v), map(grad_o), map(grad_k),
                                                                               map(grad_v), terms, sums_q, sequence);
  check(cudaGetLastError(), "gradients");

  const int vectors = rows * (kHead / 16);  // of 16 sums
  round_grad_q<<<(vectors + 255) / 256, 256, 0, stream>>>(sums_q, static_cast<uint4*>(grad_q.data_ptr()), vectors);
  check(cudaGetLastError(), "round_grad_q");
  check(cudaFreeAsync(terms, stream), "free");
  check(cudaFreeAsync(sums_q, stream), "free");
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
