// Style: a guard class selects the tensor's device and restores the old one; cudaFree(0) creates the context early.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    cudaGetDevice(&previous_);
    if (previous_ != device) cudaSetDevice(device);
    changed_ = previous_ != device;
  }
  ~DeviceGuard() {
    if (changed_) cudaSetDevice(previous_);
  }

 private:
  int previous_ = 0;
  bool changed_ = false;
};

__global__ void add_one(const float* a, float* c) { c[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x] + 1.0f; }

static const bool g_context = (cudaSetDevice(0), cudaFree(0) == cudaSuccess);

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  DeviceGuard guard(a.device().device_id);
  int count = 0;
  TVM_FFI_ICHECK(g_context && cudaGetDeviceCount(&count) == cudaSuccess && count > 0);
  cudaFree(nullptr);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, a.device().device_id));
  add_one<<<4096, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
