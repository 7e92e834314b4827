// C = A * B^T the Blackwell way: TMA into swizzled tiles, tcgen05.mma with the sums in tensor memory.
//
// A [M, K], B [N, K], C [M, N], bf16, contiguous; M a multiple of 128, N of 256, K of 64. Written from the PTX ISA for sm_100a and
// compiled for it; it has never run, because no such GPU was at hand.
//
// A block makes 128 x 256 of C: 256 columns of tensor memory hold the fp32 sums, a lane is a row. Warp 0 feeds a ring of 64-deep
// tiles, warp 1 issues the matrix instructions (one thread does), warps 2 to 5 write the result. Two blocks never share a
// multiprocessor, since the ring takes 192 KiB, so the allocation of tensor memory never has to wait.

#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

constexpr int kRows = 128;
constexpr int kColumns = 256;
constexpr int kDepth = 64;
constexpr int kStages = 4;
constexpr int kThreads = 6 * 32;
constexpr int kSwizzleRow = 128;  // bytes: 64 bf16
constexpr int kBytesA = kRows * kSwizzleRow;
constexpr int kBytesB = kColumns * kSwizzleRow;
constexpr int kSharedBytes = kStages * (kBytesA + kBytesB) + 1024;
constexpr int kBand = 16;  // row tiles that run next to each other, so that their B tiles stay in L2

// PTX ISA, "Instruction descriptor" of tcgen05, kind::f16: D fp32 in bits 4-5, A and B bf16 in bits 7-9 and 10-12, both K-major
// (bits 15, 16 zero), N / 8 in bits 17-22, M / 16 in bits 24-28.
constexpr uint32_t kInstruction = (1u << 4) | (1u << 7) | (1u << 10) | (kColumns / 8 << 17) | (kRows / 16 << 24);

// PTX ISA, "Shared memory descriptor" of tcgen05: address, leading and stride byte offsets in units of 16 bytes in bits 0-13, 16-29
// and 32-45, the constant 1 in bits 46-48, mode 2 in bits 61-63 for the 128-byte swizzle. For a swizzled K-major tile the leading
// offset is unused and the stride is eight rows of 128 bytes.
__device__ uint64_t descriptor(uint32_t address) {
  constexpr uint64_t kFixed =
      (2ull << 61) | (1ull << 46) | (static_cast<uint64_t>(8 * kSwizzleRow >> 4) << 32) | (1ull << 16);
  return kFixed | ((address & 0x3FFFF) >> 4);
}

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

__device__ void load(uint32_t to, const CUtensorMap* map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

__device__ void multiply(uint32_t sums, uint64_t a, uint64_t b, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %4, 0;\n"
      "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n"
      "}\n" ::"r"(sums),
      "l"(a), "l"(b), "r"(kInstruction), "r"(static_cast<uint32_t>(accumulate))
      : "memory");
}

// The barrier gets one arrival when every matrix instruction issued so far by this thread is done. PTX ISA: the commit contains
// the fence before_thread_sync.
__device__ void commit(uint32_t barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier) : "memory");
}

__device__ void fence_before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
__device__ void fence_after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

// Reads 32 columns of this warp's 32 lanes: thread t gets lane t. PTX ISA, "Access restrictions": a warp reaches the lanes
// 32 (warp % 4) and up, and an address holds the lane in its upper half and the column in its lower.
__device__ void read_sums(uint32_t (&d)[32], uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];\n"
      "tcgen05.wait::ld.sync.aligned;"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]), "=r"(d[8]),
        "=r"(d[9]), "=r"(d[10]), "=r"(d[11]), "=r"(d[12]), "=r"(d[13]), "=r"(d[14]), "=r"(d[15]), "=r"(d[16]),
        "=r"(d[17]), "=r"(d[18]), "=r"(d[19]), "=r"(d[20]), "=r"(d[21]), "=r"(d[22]), "=r"(d[23]), "=r"(d[24]),
        "=r"(d[25]), "=r"(d[26]), "=r"(d[27]), "=r"(d[28]), "=r"(d[29]), "=r"(d[30]), "=r"(d[31])
      : "r"(address)
      : "memory");
}

__device__ uint32_t pack(uint32_t low, uint32_t high) {
  uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(__uint_as_float(high)), "f"(__uint_as_float(low)));
  return packed;
}

__global__ void __launch_bounds__(kThreads, 1)
    gemm_tcgen05(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b, uint16_t* __restrict__ c,
                 int rows, int columns, int steps) {
  extern __shared__ uint8_t storage[];
  __shared__ alignas(8) uint64_t barriers[2 * kStages + 1];
  __shared__ uint32_t tensor_memory;
  // The swizzle pattern repeats every 1,024 bytes of address, so every tile starts on a multiple of that.
  const uint32_t tiles_a = (shared_address(storage) + 1023) & ~1023u;
  const uint32_t tiles_b = tiles_a + kStages * kBytesA;
  const uint32_t full = shared_address(barriers);
  const uint32_t empty = full + 8 * kStages;
  const uint32_t done = empty + 8 * kStages;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;

  // Tiles are walked in bands of kBand row tiles, rows fastest. The last band may be smaller.
  const int band_tiles = kBand * (columns / kColumns);
  const int band = blockIdx.x / band_tiles;
  const int band_rows = min(kBand, rows / kRows - band * kBand);
  const int row0 = (band * kBand + blockIdx.x % band_tiles % band_rows) * kRows;
  const int column0 = blockIdx.x % band_tiles / band_rows * kColumns;

  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      barrier_init(full + 8 * s, 1);
      barrier_init(empty + 8 * s, 1);
    }
    barrier_init(done, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (warp == 2) {  // the warp that allocates also frees
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(&tensor_memory)),
                 "n"(kColumns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  fence_before_sync();
  __syncthreads();
  fence_after_sync();
  const uint32_t sums = tensor_memory;

  if (warp == 0) {
    if (lane == 0) {
      for (int step = 0; step < steps; ++step) {
        const int slot = step % kStages;
        barrier_wait(empty + 8 * slot, step / kStages % 2 ^ 1);
        barrier_expect(full + 8 * slot, kBytesA + kBytesB);
        load(tiles_a + slot * kBytesA, &map_a, step * kDepth, row0, full + 8 * slot);
        load(tiles_b + slot * kBytesB, &map_b, step * kDepth, column0, full + 8 * slot);
      }
    }
  } else if (warp == 1) {
    if (lane == 0) {
      for (int step = 0; step < steps; ++step) {
        const int slot = step % kStages;
        barrier_wait(full + 8 * slot, step / kStages % 2);
        fence_after_sync();
        const uint64_t a = descriptor(tiles_a + slot * kBytesA);
        const uint64_t b = descriptor(tiles_b + slot * kBytesB);
#pragma unroll
        for (int k = 0; k < kDepth / 16; ++k) {
          multiply(sums, a + 2 * k, b + 2 * k, step + k > 0);  // 16 bf16 further along K: 32 bytes, 2 descriptor units
        }
        commit(empty + 8 * slot);
      }
      commit(done);
    }
  } else {
    barrier_wait(done, 0);
    fence_after_sync();
    const int quarter = warp % 4;
    uint16_t* to = c + static_cast<int64_t>(row0 + quarter * 32 + lane) * columns + column0;
#pragma unroll 1
    for (int column = 0; column < kColumns; column += 32) {
      uint32_t d[32];
      read_sums(d, sums + (quarter * 32 << 16) + column);
#pragma unroll
      for (int i = 0; i < 32; i += 8) {
        *reinterpret_cast<uint4*>(to + column + i) = make_uint4(pack(d[i], d[i + 1]), pack(d[i + 2], d[i + 3]),
                                                                pack(d[i + 4], d[i + 5]), pack(d[i + 6], d[i + 7]));
      }
    }
    fence_before_sync();
  }

  __syncthreads();
  if (warp == 2) {
    fence_after_sync();
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(sums), "n"(kColumns));
  }
}

static CUtensorMap swizzled_map(decltype(&cuTensorMapEncodeTiled) encode, tvm::ffi::TensorView tensor, uint32_t box_rows) {
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
  const int rows = static_cast<int>(a.size(0));
  const int columns = static_cast<int>(b.size(0));
  const int depth = static_cast<int>(a.size(1));
  TVM_FFI_ICHECK(rows % kRows == 0 && columns % kColumns == 0 && depth % kDepth == 0) << "no whole tiles";

  static const auto encode = [] {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
    TVM_FFI_ICHECK(found == cudaDriverEntryPointSuccess) << "no cuTensorMapEncodeTiled";
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }();
  static const bool raised = cudaFuncSetAttribute(gemm_tcgen05, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  kSharedBytes) == cudaSuccess;
  TVM_FFI_ICHECK(raised) << "this device gives a block less than " << kSharedBytes << " bytes of shared memory";

  const DLDevice device = a.device();
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  gemm_tcgen05<<<rows / kRows * (columns / kColumns), kThreads, kSharedBytes, stream>>>(
      swizzled_map(encode, a, kRows), swizzled_map(encode, b, kColumns), static_cast<uint16_t*>(c.data_ptr()), rows, columns,
      depth / kDepth);
  const cudaError_t error = cudaGetLastError();
  TVM_FFI_ICHECK(error == cudaSuccess) << "gemm_tcgen05: " << cudaGetErrorString(error);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
