// Style: a union, bit fields, an inherited struct with reused tail, an enum class and CUDA's vector types as parameters (L3).
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

union Factor {
  float single;
  double wide;
};

struct Flags {
  unsigned relu : 1, level : 5;
  unsigned long long mask : 40;
};

enum class Mode : unsigned char { kPlain, kScaled };

struct Shape {
  int rows;
  char layout;
};

struct Tile : Shape {
  char stage;
  short columns;
};

__global__ void mixed(const float* a, float* c, Factor factor, Flags flags, Mode mode, Tile tile, float3 low, char4 marks, int2 origin) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = mode == Mode::kScaled ? a[i] * factor.single : a[i];
  if (flags.relu && value < low.x) value = low.z + flags.level;
  if (flags.mask >> (i & 31) & 1) value += marks.w + tile.layout + tile.stage;
  c[(i + origin.x) % (tile.rows * tile.columns)] = value;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  Factor factor{};
  factor.single = 1.5f;
  Flags flags{};
  flags.relu = 1;
  flags.level = 9;
  flags.mask = 1ull << 33;
  Tile tile{};
  tile.rows = static_cast<int>(a.size(0));
  tile.layout = 'n';
  tile.stage = 2;
  tile.columns = 256;
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  mixed<<<1024, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()), factor, flags, Mode::kScaled,
                                  tile, make_float3(1.0f, 2.0f, 3.0f), make_char4(1, 2, 3, 4), make_int2(5, 6));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
