// Style: runtime and driver versions are asked, and the file's CUDART_VERSION is compared with them.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#if CUDART_VERSION < 12000
#error "needs CUDA 12"
#endif

__global__ void plain(const float* a, float* c) { c[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x]; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  int runtime = 0, driver = 0, again = 0;
  TVM_FFI_ICHECK(cudaRuntimeGetVersion(&runtime) == cudaSuccess && cudaDriverGetVersion(&driver) == cudaSuccess);
  TVM_FFI_ICHECK(cuDriverGetVersion(&again) == CUDA_SUCCESS);
  TVM_FFI_ICHECK_GE(runtime, 12000);
  TVM_FFI_ICHECK_GE(driver, runtime) << "the driver is older than the runtime";
  TVM_FFI_ICHECK_EQ(driver, again);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  plain<<<256, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
