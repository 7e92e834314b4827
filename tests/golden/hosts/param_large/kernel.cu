// Style: a parameter block of 8 KB: a whole tile schedule by value, filled with a fixed pseudo-random order.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <numeric>
#include <random>

struct Schedule {
  unsigned short order[4096];
  const float* in;
};

__global__ void scheduled(const __grid_constant__ Schedule schedule, float* c) {
  const int tile = schedule.order[blockIdx.x];
  c[tile * 256 + threadIdx.x] = schedule.in[tile * 256 + threadIdx.x];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static Schedule schedule = [] {
    Schedule made{};
    std::iota(std::begin(made.order), std::end(made.order), static_cast<unsigned short>(0));
    std::shuffle(std::begin(made.order), std::end(made.order), std::mt19937(42));
    return made;
  }();
  schedule.in = static_cast<const float*>(a.data_ptr());
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  scheduled<<<4096, 256, 0, stream>>>(schedule, static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
