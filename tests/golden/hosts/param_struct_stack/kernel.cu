// Style: parameter structs with holes on the stack, members set one by one; nested and with an aligned tail (L3).
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

struct Tile {
  unsigned char stage;
  int rows;
};

struct Schedule {
  Tile first, second;
  unsigned short swizzle;
  unsigned bands;
  long long count;
  bool last;
};

struct alignas(16) Scales {
  float a, b;
  unsigned char shift;
};

__global__ void scheduled(const unsigned* a, const unsigned* b, unsigned* c, Schedule schedule, Scales scales) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = a[i % schedule.first.rows] + b[i % schedule.second.rows] * schedule.bands;
  value = (value << schedule.swizzle) + schedule.first.stage + schedule.second.stage;
  if (schedule.last && i < schedule.count) value = static_cast<unsigned>(value * scales.a + scales.b) >> scales.shift;
  c[i] = value;
}

static void schedule_into(Schedule& schedule, int rows) {
  schedule.first.stage = 1;
  schedule.first.rows = rows;
  schedule.second.stage = 2;
  schedule.second.rows = rows / 2;
  schedule.swizzle = 5;
  schedule.bands = 300;
  schedule.count = 1 << 20;
  schedule.last = true;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  Schedule schedule;
  schedule_into(schedule, static_cast<int>(a.size(0)));
  Scales scales;
  scales.a = 2.0f;
  scales.b = 1.0f;
  scales.shift = 4;
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  scheduled<<<4096, 256, 0, stream>>>(static_cast<const unsigned*>(a.data_ptr()), static_cast<const unsigned*>(b.data_ptr()),
                                      static_cast<unsigned*>(c.data_ptr()), schedule, scales);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
