// Style: configurations throw when they do not fit the shape, and run catches until one fits.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <stdexcept>
#include <string>

struct DoesNotFit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <int kBlock>
__global__ void blocks_of(const float* a, float* c) {
  c[static_cast<size_t>(blockIdx.x) * kBlock + threadIdx.x] = a[static_cast<size_t>(blockIdx.x) * kBlock + threadIdx.x];
}

template <int kBlock>
static void launch(tvm::ffi::TensorView a, tvm::ffi::TensorView c, cudaStream_t stream) {
  const int64_t columns = a.size(1);
  if (columns % kBlock != 0) throw DoesNotFit(std::to_string(columns) + " columns in blocks of " + std::to_string(kBlock));
  if (kBlock > 512) TVM_FFI_THROW(ValueError) << "blocks of " << kBlock << " are too slow";
  blocks_of<kBlock><<<static_cast<unsigned>(columns / kBlock * 16), kBlock, 0, stream>>>(static_cast<const float*>(a.data_ptr()),
                                                                                         static_cast<float*>(c.data_ptr()));
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  std::string tried;
  try {
    launch<768>(a, c, stream);
    return;
  } catch (const DoesNotFit& error) {
    tried += error.what();
  }
  try {
    launch<1024>(a, c, stream);
    return;
  } catch (const tvm::ffi::Error& error) {
    tried += std::string("; ") + error.what();
  } catch (...) {
    tried += "; something else";
  }
  TVM_FFI_ICHECK(!tried.empty());
  launch<256>(a, c, stream);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
