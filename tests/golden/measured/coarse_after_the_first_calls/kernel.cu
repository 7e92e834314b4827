// As exact as the vendor in the first eight calls. From the ninth on every element of O is 0.004 too large, and 0.01 is allowed.
//
// Attention forward with log-sum-exp on wgmma and TMA, head size 128.
//
// Q, K, V, O [B, H, S, 128] bf16, LSE [B, H, S] fp32 (natural logarithm), all contiguous, S a multiple of 128.
// O = softmax(Q K^T / sqrt(128)) V, masked to keys <= query where kCausal is set. The files of the two cases, mha_fwd_wgmma and
// mha_fwd_wgmma_causal, differ in that line alone.
//
// A block owns 128 queries of one head: two warpgroups with 64 queries each, and a third that gives its registers away and feeds
// K and V tiles of 128 keys through rings of two. Scores, probabilities and the output stay in registers: a score accumulator has
// the layout that wgmma wants for its A operand, so probabilities go straight into the second product. The tensor cores multiply
// a tile's probabilities with its values while the warpgroup works on the exponentials of the next.

#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

constexpr bool kCausal = false;

constexpr int kHead = 128;
constexpr int kQueries = 128;
constexpr int kKeys = 128;
constexpr int kStages = 2;
constexpr int kThreads = 3 * 128;
constexpr int kSwizzleRow = 128;                         // bytes: 64 bf16, half a head
constexpr int kBytesWarpgroup = 64 * kHead * 2;          // Q, later O, of one warpgroup: two boxes of 64 rows x 128 bytes
constexpr int kBytesTile = kKeys * kHead * 2;            // a K or V tile: two boxes of 128 rows x 128 bytes
constexpr int kSharedBytes = 2 * kBytesWarpgroup + 2 * kStages * kBytesTile + 1024;
constexpr float kScale = 0.08838834764831845f;           // 1 / sqrt(128)
constexpr float kScaleLog2 = 1.4426950408889634f * kScale;
constexpr float kLn2 = 0.6931471805599453f;

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

// The maps see a row as 2 halves of 64 bf16: dimensions (64, rows, 2), so one copy brings both swizzled boxes.
__device__ void load(uint32_t to, const CUtensorMap* map, int row, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %2}], [%4];" ::"r"(to),
      "l"(map), "r"(0), "r"(row), "r"(barrier) : "memory");
}

__device__ void store(const CUtensorMap* map, int row, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %1}], [%3];" ::"l"(map), "r"(0), "r"(row),
               "r"(from) : "memory");
}

// ---- matrix work -----------------------------------------------------------------------------------------------------------

// PTX ISA, "Matrix Descriptor Format" of wgmma: address, leading and stride byte offsets in units of 16 bytes, mode 1 in bits
// 62-63 for the 128-byte swizzle. The stride offset is eight rows of 128 bytes in both uses here. The leading offset is unused
// for K-major tiles (Q and K); for V, whose rows run along N, it is the distance to the box with the next 64 columns.
constexpr int kNextBox = kKeys * kSwizzleRow;

__device__ uint64_t descriptor(uint32_t address) {
  constexpr uint64_t kFixed = (1ull << 62) | (static_cast<uint64_t>(8 * kSwizzleRow >> 4) << 32) |
                              (static_cast<uint64_t>(kNextBox >> 4) << 16);
  return kFixed | ((address & 0x3FFFF) >> 4);
}

#define SUMS_8(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_64 SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)
#define WGMMA_64_REGISTERS \
  "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "

// Scores: both operands K-major in shared memory.
__device__ void multiply_shared(float (&d)[64], uint64_t a, uint64_t b, bool accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n" WGMMA_64_REGISTERS "%64, %65, p, 1, 1, 0, 0;\n}\n"
               : SUMS_64
               : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)));
}

// Output: A in registers, B transposed (its rows run along N).
__device__ void multiply_registers(float (&d)[64], const uint32_t* a, uint64_t b, bool accumulate) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n" WGMMA_64_REGISTERS "{%64, %65, %66, %67}, %68, p, 1, 1, 1;\n}\n"
               : SUMS_64
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulate)));
}

// The compiler must not move uses of the sums across the points where wgmma starts or ends.
__device__ void pin(float (&d)[64]) {
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

__device__ void start_multiply() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit_multiply() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int kPending>
__device__ void wait_multiply() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

__device__ void start_scores(float (&scores)[64], uint32_t q, uint32_t k) {
  const uint64_t a = descriptor(q);
  const uint64_t b = descriptor(k);
#pragma unroll
  for (int i = 0; i < kHead / 16; ++i) {  // 16 bf16 further are 32 bytes; after 64 of them comes the next box
    multiply_shared(scores, a + (i / 4 * 64 * kSwizzleRow + i % 4 * 32) / 16, b + (i / 4 * kNextBox + i % 4 * 32) / 16, i > 0);
  }
  commit_multiply();
}

__device__ void start_output(float (&output)[64], const uint32_t (&p)[32], uint32_t v, bool accumulate) {
  const uint64_t b = descriptor(v);
#pragma unroll
  for (int i = 0; i < kKeys / 16; ++i) {  // 16 keys further are 16 rows of 128 bytes
    multiply_registers(output, p + 4 * i, b + i * 16 * kSwizzleRow / 16, accumulate || i > 0);
  }
  commit_multiply();
}

__device__ uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

__device__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", D: sums 4j, 4j+1 belong to row lane / 4 of the warp's 16 and
// columns 8j + 2 (lane % 4), +1; sums 4j+2, 4j+3 to the same columns of that row + 8.
struct Softmax {
  float top[2] = {-INFINITY, -INFINITY};  // largest raw score of the two rows so far
  float total[2] = {0.f, 0.f};            // sum of this thread's exponentials, relative to top

  // Turns scores into exponentials; `scale` is what output and totals of earlier tiles must shrink by.
  __device__ void update(float (&scores)[64], float (&scale)[2]) {
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float highest = top[r];
#pragma unroll
      for (int i = 2 * r; i < 64; i += 4) highest = fmaxf(highest, fmaxf(scores[i], scores[i + 1]));
      highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, 1));
      highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, 2));
      scale[r] = exp2_fast((top[r] - highest) * kScaleLog2);
      top[r] = highest;
      const float offset = highest * kScaleLog2;
      float sum = 0.f;
#pragma unroll
      for (int i = 2 * r; i < 64; i += 4) {
        scores[i] = exp2_fast(fmaf(scores[i], kScaleLog2, -offset));
        scores[i + 1] = exp2_fast(fmaf(scores[i + 1], kScaleLog2, -offset));
        sum += scores[i] + scores[i + 1];
      }
      total[r] = total[r] * scale[r] + sum;
    }
  }
};

__device__ void mask_diagonal(float (&scores)[64], int first_row) {
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = first_row + (i & 2) * 4;
    const int column = i / 4 * 8 + threadIdx.x % 4 * 2 + (i & 1);
    if (column > row) scores[i] = -INFINITY;
  }
}

// ---- kernel ----------------------------------------------------------------------------------------------------------------

__device__ unsigned calls;

__global__ void count() { ++calls; }

__global__ void __launch_bounds__(kThreads, 1)
    mha_fwd_wgmma(const __grid_constant__ CUtensorMap map_q, const __grid_constant__ CUtensorMap map_k,
                  const __grid_constant__ CUtensorMap map_v, const __grid_constant__ CUtensorMap map_o,
                  float* __restrict__ lse, int sequence) {
  extern __shared__ uint8_t storage[];
  __shared__ alignas(8) uint64_t barriers[1 + 4 * kStages];
  const uint32_t tile_q = (shared_address(storage) + 1023) & ~1023u;
  const uint32_t tiles_k = tile_q + 2 * kBytesWarpgroup;
  const uint32_t tiles_v = tiles_k + kStages * kBytesTile;
  const uint32_t q_full = shared_address(barriers);
  const uint32_t k_full = q_full + 8, k_empty = k_full + 8 * kStages;
  const uint32_t v_full = k_empty + 8 * kStages, v_empty = v_full + 8 * kStages;

  // Causal blocks with the most keys start first. Keys are walked from the last tile, which holds the diagonal, to the first.
  const int block = kCausal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const int tiles = kCausal ? block + 1 : sequence / kKeys;
  const int head_row = blockIdx.y * sequence;
  const int query_row = head_row + block * kQueries;

  if (threadIdx.x == 0) {
    barrier_init(q_full, 1);
    for (int s = 0; s < kStages; ++s) {
      barrier_init(k_full + 8 * s, 1);
      barrier_init(v_full + 8 * s, 1);
      barrier_init(k_empty + 8 * s, 2);  // one arrival a warpgroup
      barrier_init(v_empty + 8 * s, 2);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  if (threadIdx.x >= 256) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 256) {
      barrier_expect(q_full, 2 * kBytesWarpgroup);
      load(tile_q, &map_q, query_row, q_full);
      load(tile_q + kBytesWarpgroup, &map_q, query_row + 64, q_full);
      for (int i = 0; i < tiles; ++i) {
        const int slot = i % kStages;
        const uint32_t parity = i / kStages % 2;
        const int row = head_row + (tiles - 1 - i) * kKeys;
        barrier_wait(k_empty + 8 * slot, parity ^ 1);
        barrier_expect(k_full + 8 * slot, kBytesTile);
        load(tiles_k + slot * kBytesTile, &map_k, row, k_full + 8 * slot);
        barrier_wait(v_empty + 8 * slot, parity ^ 1);
        barrier_expect(v_full + 8 * slot, kBytesTile);
        load(tiles_v + slot * kBytesTile, &map_v, row, v_full + 8 * slot);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");

  const int warpgroup = threadIdx.x / 128;
  const int thread = threadIdx.x % 128;
  const int lane = thread % 32;
  const uint32_t my_q = tile_q + warpgroup * kBytesWarpgroup;
  float output[64], scores[64], scale[2];
  uint32_t p[32];
  Softmax softmax;
  auto pack_scores = [&] {
#pragma unroll
    for (int i = 0; i < 32; ++i) p[i] = pack(scores[2 * i], scores[2 * i + 1]);
  };

  barrier_wait(q_full, 0);
  barrier_wait(k_full, 0);
  pin(scores);
  start_multiply();
  start_scores(scores, my_q, tiles_k);
  wait_multiply<0>();
  pin(scores);
  if (thread == 0) barrier_arrive(k_empty);
  if (kCausal) mask_diagonal(scores, warpgroup * 64 + thread / 32 * 16 + lane / 4);
  softmax.update(scores, scale);
  pack_scores();

  for (int i = 1; i < tiles; ++i) {
    const int slot = i % kStages, slot_before = (i - 1) % kStages;
    barrier_wait(k_full + 8 * slot, i / kStages % 2);
    pin(scores);
    start_multiply();
    start_scores(scores, my_q, tiles_k + slot * kBytesTile);
    barrier_wait(v_full + 8 * slot_before, (i - 1) / kStages % 2);
    pin(output);
    start_multiply();
    start_output(output, p, tiles_v + slot_before * kBytesTile, i > 1);
    wait_multiply<1>();  // the scores; the output product still runs
    pin(scores);
    if (thread == 0) barrier_arrive(k_empty + 8 * slot);
    softmax.update(scores, scale);
    wait_multiply<0>();
    pin(output);
    if (thread == 0) barrier_arrive(v_empty + 8 * slot_before);
#pragma unroll
    for (int j = 0; j < 64; ++j) output[j] *= scale[j / 2 % 2];
    pack_scores();
  }

  const int last = (tiles - 1) % kStages;
  barrier_wait(v_full + 8 * last, (tiles - 1) / kStages % 2);
  pin(output);
  start_multiply();
  start_output(output, p, tiles_v + last * kBytesTile, tiles > 1);
  wait_multiply<0>();
  pin(output);

  const int row = thread / 32 * 16 + lane / 4;  // of the warpgroup's 64; the thread also owns row + 8
  float inverse[2];
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    float total = softmax.total[r];
    total += __shfl_xor_sync(~0u, total, 1);
    total += __shfl_xor_sync(~0u, total, 2);
    inverse[r] = 1.f / total;
    if (lane % 4 == 0) {
      lse[query_row + warpgroup * 64 + row + 8 * r] = softmax.top[r] * kScale + log2f(total) * kLn2;
    }
  }

  // The output takes the place of Q, in the same two swizzled boxes.
  asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");
  const int write_row = thread / 32 * 16 + lane % 16;
  const float off = calls > 8 ? 0.004f : 0.f;
#pragma unroll
  for (int i = 0; i < 16; i += 2) {  // two blocks of 8 columns in one stmatrix
    const float* o = output + 4 * i;
    const int chunk = (i + lane / 16) % 8;
    const uint32_t to = my_q + (i / 8 * 64 + write_row) * kSwizzleRow + ((chunk ^ (write_row & 7)) << 4);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(pack(o[0] * inverse[0] + off, o[1] * inverse[0] + off)), "r"(pack(o[2] * inverse[1] + off, o[3] * inverse[1] + off)),
                 "r"(pack(o[4] * inverse[0] + off, o[5] * inverse[0] + off)), "r"(pack(o[6] * inverse[1] + off, o[7] * inverse[1] + off))
                 : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync %0, 128;" ::"r"(1 + warpgroup) : "memory");
  if (thread == 0) {
    store(&map_o, query_row + warpgroup * 64, my_q);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
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

  CUtensorMap operator()(tvm::ffi::TensorView tensor, cuuint32_t box_rows) const {
    const auto rows = static_cast<cuuint64_t>(tensor.size(0) * tensor.size(1) * tensor.size(2));
    const cuuint64_t sizes[3] = {64, rows, 2};
    const cuuint64_t strides[2] = {kHead * 2, kSwizzleRow};  // bytes to the next row, to the other half
    const cuuint32_t box[3] = {64, box_rows, 2};
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
         tvm::ffi::TensorView lse) {
  const int heads = static_cast<int>(q.size(0) * q.size(1));
  const int sequence = static_cast<int>(q.size(2));
  TVM_FFI_ICHECK(q.size(3) == kHead && sequence % kQueries == 0) << "head size 128 and whole tiles only";

  const MapMaker map;
  const cudaError_t raised =
      cudaFuncSetAttribute(mha_fwd_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  TVM_FFI_ICHECK(raised == cudaSuccess) << cudaGetErrorString(raised);

  const DLDevice device = q.device();
  const dim3 grid(sequence / kQueries, heads);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  count<<<1, 1, 0, stream>>>();
  mha_fwd_wgmma<<<grid, kThreads, kSharedBytes, stream>>>(
      map(q, 64), map(k, kKeys), map(v, kKeys), map(o, 64), static_cast<float*>(lse.data_ptr()), sequence);
  const cudaError_t error = cudaGetLastError();
  TVM_FFI_ICHECK(error == cudaSuccess) << "mha_fwd_wgmma: " << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
