// Style: cudaPointerGetAttributes and cuPointerGetAttribute make sure that every argument is device memory.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void pass(const float* a, float* c) { c[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x]; }

static void check_device_pointer(const tvm::ffi::TensorView& tensor, const char* name) {
  cudaPointerAttributes attributes{};
  const cudaError_t error = cudaPointerGetAttributes(&attributes, tensor.data_ptr());
  TVM_FFI_ICHECK(error == cudaSuccess && attributes.type == cudaMemoryTypeDevice) << name << " is not device memory";
  TVM_FFI_ICHECK_EQ(attributes.device, tensor.device().device_id);
  CUmemorytype type{};
  const CUresult result = cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(tensor.data_ptr()));
  TVM_FFI_ICHECK(result == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE) << name;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  check_device_pointer(a, "A");
  check_device_pointer(b, "B");
  check_device_pointer(c, "C");
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  pass<<<512, 256, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
