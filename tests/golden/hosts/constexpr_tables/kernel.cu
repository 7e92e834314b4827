// Style: tile sizes from a constexpr std::array that host code searches and kernels are instantiated from.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <array>
#include <utility>

struct Tile {
  int rows, columns, stages;
  constexpr int shared_bytes() const { return (rows + columns) * 64 * 2 * stages; }
};

constexpr std::array<Tile, 3> kTiles = {{{128, 192, 4}, {128, 256, 4}, {64, 128, 3}}};
static_assert(kTiles[1].shared_bytes() == 196608, "fits into 227 KiB");

template <int kRows, int kColumns>
__global__ void __launch_bounds__(kRows) tile_kernel(const unsigned* a, const unsigned* b, unsigned* c, int columns) {
  extern __shared__ unsigned tile[];
  tile[threadIdx.x] = a[(blockIdx.y * kRows + threadIdx.x) * 64] ^ b[blockIdx.x];
  __syncthreads();
  for (int i = 0; i < kColumns / 2; ++i) c[(blockIdx.y * kRows + threadIdx.x) * static_cast<size_t>(columns / 2) + blockIdx.x * (kColumns / 2) + i] = tile[i % kRows];
}

constexpr int pick(int rows, int columns) {
  for (size_t i = 0; i < kTiles.size(); ++i) {
    if (rows % kTiles[i].rows == 0 && columns % kTiles[i].columns == 0) return static_cast<int>(i);
  }
  return -1;
}
static_assert(pick(8192, 7168) == 1, "192 does not divide 7168");

template <size_t kIndex>
static void launch(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c, cudaStream_t stream) {
  constexpr Tile kTile = kTiles[kIndex];
  auto* kernel = &tile_kernel<kTile.rows, kTile.columns>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTile.shared_bytes());
  kernel<<<dim3(c.size(1) / kTile.columns, c.size(0) / kTile.rows), kTile.rows, kTile.shared_bytes(), stream>>>(
      static_cast<const unsigned*>(a.data_ptr()), static_cast<const unsigned*>(b.data_ptr()), static_cast<unsigned*>(c.data_ptr()),
      static_cast<int>(c.size(1)));
}

template <size_t... kIndices>
static bool dispatch(int chosen, std::index_sequence<kIndices...>, tvm::ffi::TensorView a, tvm::ffi::TensorView b,
                     tvm::ffi::TensorView c, cudaStream_t stream) {
  return ((static_cast<int>(kIndices) == chosen ? (launch<kIndices>(a, b, c, stream), true) : false) || ...);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  const int chosen = pick(static_cast<int>(c.size(0)), static_cast<int>(c.size(1)));
  TVM_FFI_ICHECK(dispatch(chosen, std::make_index_sequence<kTiles.size()>{}, a, b, c, stream)) << "no tile for this shape";
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
