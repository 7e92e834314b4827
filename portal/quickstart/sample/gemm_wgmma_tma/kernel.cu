// C = A * B^T the Hopper way: TMA with multicast into a ring of swizzled tiles, wgmma by two warpgroups, TMA store.
//
// A [M, K], B [N, K], C [M, N], bf16, contiguous; M and N multiples of 256, K of 64.
//
// A persistent cluster of two blocks makes 256 x 256 of C: each block its own 128 rows, both the same 256 columns, so each
// block fetches half of the B tile and multicasts it to both. Warpgroup 0 only feeds the ring (one thread); warpgroups 1 and 2
// own 64 rows each and keep 64 x 256 fp32 sums in registers. K tiles are 64 deep, since 64 bf16 are the 128 bytes of one
// swizzle row.

#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

constexpr int kBlockRows = 128;
constexpr int kBlockColumns = 256;
constexpr int kDepth = 64;
constexpr int kStages = 4;
constexpr int kCluster = 2;
constexpr int kConsumers = 2;  // warpgroups
constexpr int kThreads = 128 * (1 + kConsumers);
constexpr int kSwizzleRow = 128;                                 // bytes
constexpr int kBytesA = kBlockRows * kSwizzleRow;                // 16 KiB
constexpr int kBytesB = kBlockColumns * kSwizzleRow;             // 32 KiB
constexpr int kBytesHalfB = kBytesB / kCluster;                  // what one block fetches and multicasts
constexpr int kBytesStaging = 2 * 64 * kSwizzleRow;              // a warpgroup's 64 x 128 half of its C tile
constexpr int kSharedBytes = kStages * (kBytesA + kBytesB) + kConsumers * kBytesStaging + 1024;
constexpr int kBand = 8;  // cluster rows that run next to each other, so that their B tiles stay in L2

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

// Arrives at the barrier that lies at the same place in the shared memory of block `rank` of the cluster. Relaxed: what must come
// before it are reads by wgmma, which a wait has completed; a release at cluster scope would cost a memory barrier each time.
__device__ void barrier_arrive_at(uint32_t barrier, uint32_t rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

__device__ void load(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

// The tile lands, and the bytes are counted, at the same shared-memory places in every block of the mask.
__device__ void load_multicast(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t barrier, uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
      : "memory");
}

__device__ void store(const CUtensorMap* map, int x, int y, uint32_t from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x), "r"(y),
               "r"(from)
               : "memory");
}

__device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ void warpgroup_sync(int id) { asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory"); }

// ---- matrix work -----------------------------------------------------------------------------------------------------------

// PTX ISA, "Matrix Descriptor Format" of wgmma: address, leading and stride byte offsets in units of 16 bytes, mode 1 in bits
// 62-63 for the 128-byte swizzle. For a K-major tile the leading offset is unused and the stride is eight rows of 128 bytes.
__device__ uint64_t descriptor(uint32_t address) {
  constexpr uint64_t kFixed = (1ull << 62) | (static_cast<uint64_t>(8 * kSwizzleRow >> 4) << 32) | (1ull << 16);
  return kFixed | ((address & 0x3FFFF) >> 4);
}

#define SUMS_8(i) \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)

__device__ void multiply(float (&d)[128], uint64_t a, uint64_t b, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 0;\n"  // D = A * B + p * D, no negation, both operands K-major
      "}\n"
      : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
      : "l"(a), "l"(b), "r"(static_cast<int>(accumulate)));
}

// The compiler must not move uses of the sums across the points where wgmma starts or ends.
__device__ void pin(float (&d)[128]) {
#pragma unroll
  for (int i = 0; i < 128; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

template <int kPending>
__device__ void wait_multiply(float (&d)[128]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
  pin(d);
}

__device__ uint32_t pack(float low, float high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

// Writes one 64 x 128 half of a warpgroup's sums as two swizzled boxes of 64 columns. PTX ISA, "Register Fragments for
// wgmma.mma_async.m64nNk16", D: a thread holds, for every block of 8 columns, two sums of row lane / 4 and two of that row + 8.
__device__ void stage(const float (&d)[128], int half, uint32_t staging) {
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x / 32 % 4 * 16 + lane % 16;
#pragma unroll
  for (int i = 0; i < 16; i += 2) {  // two blocks of 8 columns in one stmatrix
    const float* s = d + half * 64 + i * 4;
    const int chunk = (i + lane / 16) % 8;
    const uint32_t to = staging + i / 8 * 64 * kSwizzleRow + row * kSwizzleRow + ((chunk ^ (row & 7)) << 4);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(pack(s[0], s[1])),
                 "r"(pack(s[2], s[3])), "r"(pack(s[4], s[5])), "r"(pack(s[6], s[7]))
                 : "memory");
  }
}

// ---- kernel ----------------------------------------------------------------------------------------------------------------

__global__ void __launch_bounds__(kThreads, 1)
    gemm_wgmma_tma(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
                   const __grid_constant__ CUtensorMap map_c, int cluster_rows, int cluster_columns, int steps) {
  extern __shared__ uint8_t storage[];
  __shared__ alignas(8) uint64_t barriers[2 * kStages];
  // The swizzle pattern repeats every 1,024 bytes of address, so every tile starts on a multiple of that.
  const uint32_t tiles_a = (shared_address(storage) + 1023) & ~1023u;
  const uint32_t tiles_b = tiles_a + kStages * kBytesA;
  const uint32_t staging = tiles_b + kStages * kBytesB;
  const uint32_t full = shared_address(barriers);
  const uint32_t empty = full + kStages * 8;

  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const int warpgroup = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      barrier_init(full + 8 * s, 1);
      barrier_init(empty + 8 * s, kCluster * kConsumers);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();

  const int tiles = cluster_rows * cluster_columns;
  const int clusters = gridDim.x / kCluster;
  int slot = 0;
  uint32_t phase = 0;
  auto next_slot = [&] {
    if (++slot == kStages) {
      slot = 0;
      phase ^= 1;
    }
  };
  // Tiles are walked in bands of kBand cluster rows, rows fastest. Gives the first row of this block and the first column.
  auto place = [&](int tile, int& row, int& column) {
    const int band = tile / (kBand * cluster_columns);
    const int band_rows = min(kBand, cluster_rows - band * kBand);
    const int in_band = tile % (kBand * cluster_columns);
    row = ((band * kBand + in_band % band_rows) * kCluster + rank) * kBlockRows;
    column = in_band / band_rows * kBlockColumns;
  };

  if (warpgroup == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      for (int tile = blockIdx.x / kCluster; tile < tiles; tile += clusters) {
        int row, column;
        place(tile, row, column);
        for (int step = 0; step < steps; ++step) {
          // The slot is free in both blocks: its B half goes to both.
          barrier_wait(empty + 8 * slot, phase ^ 1);
          barrier_expect(full + 8 * slot, kBytesA + kBytesB);
          load(tiles_a + slot * kBytesA, &map_a, step * kDepth, row, full + 8 * slot);
          load_multicast(tiles_b + slot * kBytesB + rank * kBytesHalfB, &map_b, step * kDepth,
                         column + rank * kBlockColumns / kCluster, full + 8 * slot, (1 << kCluster) - 1);
          next_slot();
        }
      }
    }
    __syncwarp();  // cluster_sync is an aligned barrier
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int consumer = warpgroup - 1;
    const int thread = threadIdx.x % 128;
    const uint32_t my_staging = staging + consumer * kBytesStaging;
    auto release = [&](int freed) {
      if (thread < kCluster) barrier_arrive_at(empty + 8 * freed, thread);
    };
    for (int tile = blockIdx.x / kCluster; tile < tiles; tile += clusters) {
      float sums[128];
      int last = 0;
      for (int step = 0; step < steps; ++step) {
        barrier_wait(full + 8 * slot, phase);
        const uint64_t a = descriptor(tiles_a + slot * kBytesA + consumer * 64 * kSwizzleRow);
        const uint64_t b = descriptor(tiles_b + slot * kBytesB);
        pin(sums);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int k = 0; k < kDepth / 16; ++k) {
          multiply(sums, a + 2 * k, b + 2 * k, step + k > 0);  // 16 bf16 further along K: 32 bytes, 2 descriptor units
        }
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        wait_multiply<1>(sums);  // the step before this one is done, and its slot is free
        if (step > 0) release(last);
        last = slot;
        next_slot();
      }
      wait_multiply<0>(sums);
      release(last);

      int row, column;
      place(tile, row, column);
      row += consumer * 64;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (thread == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        warpgroup_sync(1 + consumer);  // the store before has read the staging tile
        stage(sums, half, my_staging);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        warpgroup_sync(1 + consumer);
        if (thread == 0) {
          store(&map_c, column + half * 128, row, my_staging);
          store(&map_c, column + half * 128 + 64, row, my_staging + 64 * kSwizzleRow);
          asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
      }
    }
    if (thread == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  cluster_sync();  // no block leaves while its neighbour may still arrive at its barriers
}

// ---- host ------------------------------------------------------------------------------------------------------------------

using Encode = decltype(&cuTensorMapEncodeTiled);

static Encode encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
  TVM_FFI_ICHECK(error == cudaSuccess && found == cudaDriverEntryPointSuccess) << "no cuTensorMapEncodeTiled";
  return reinterpret_cast<Encode>(function);
}

static CUtensorMap swizzled_map(Encode encode, tvm::ffi::TensorView tensor, uint32_t box_rows) {
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(tensor.size(1)), static_cast<cuuint64_t>(tensor.size(0))};
  const cuuint64_t strides[1] = {sizes[0] * 2};
  const cuuint32_t box[2] = {kDepth, box_rows};
  const cuuint32_t steps[2] = {1, 1};
  CUtensorMap map;
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, tensor.data_ptr(), sizes, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  TVM_FFI_ICHECK(result == CUDA_SUCCESS) << "cuTensorMapEncodeTiled: " << static_cast<int>(result);
  return map;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const int64_t m = a.size(0), n = b.size(0), k = a.size(1);
  TVM_FFI_ICHECK(m % (kCluster * kBlockRows) == 0 && n % kBlockColumns == 0 && k % kDepth == 0) << "no whole tiles";

  static const Encode encode = encoder();
  static const cudaError_t raised = cudaFuncSetAttribute(
      gemm_wgmma_tma, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  TVM_FFI_ICHECK(raised == cudaSuccess) << cudaGetErrorString(raised);

  const DLDevice device = a.device();
  int processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device.device_id);

  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = kCluster;
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(processors / kCluster * kCluster);
  config.blockDim = dim3(kThreads);
  config.dynamicSmemBytes = kSharedBytes;
  config.stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  config.attrs = &cluster;
  config.numAttrs = 1;
  const cudaError_t error = cudaLaunchKernelEx(
      &config, gemm_wgmma_tma, swizzled_map(encode, a, kBlockRows), swizzled_map(encode, b, kBlockColumns / kCluster),
      swizzled_map(encode, c, 64), static_cast<int>(m / (kCluster * kBlockRows)), static_cast<int>(n / kBlockColumns),
      static_cast<int>(k / kDepth));
  TVM_FFI_ICHECK(error == cudaSuccess) << "gemm_wgmma_tma: " << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
