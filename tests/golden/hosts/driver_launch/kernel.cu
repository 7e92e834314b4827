// Style: cudaGetFuncBySymbol and the driver API: cuFuncSetAttribute, cuLaunchKernel with pointers and with a packed buffer.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstring>

#define CU_CHECK(call)                                                       \
  do {                                                                       \
    CUresult result_ = (call);                                               \
    if (result_ != CUDA_SUCCESS) {                                           \
      const char* text_ = nullptr;                                           \
      cuGetErrorString(result_, &text_);                                     \
      TVM_FFI_THROW(RuntimeError) << #call << ": " << (text_ ? text_ : "?"); \
    }                                                                        \
  } while (0)

__global__ void blend(const float4* a, const float4* b, float4* c, float weight) {
  extern __shared__ float4 staged[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = a[i];
  __syncthreads();
  c[i] = make_float4(staged[threadIdx.x ^ 1].x * weight, b[i].y, 0.0f, 0.0f);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  cudaFunction_t found;
  TVM_FFI_ICHECK(cudaGetFuncBySymbol(&found, reinterpret_cast<const void*>(blend)) == cudaSuccess);
  CUfunction function = found;
  CU_CHECK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 96 * 1024));
  CUstream stream = static_cast<CUstream>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));

  CUdeviceptr in_a = reinterpret_cast<CUdeviceptr>(a.data_ptr()), in_b = reinterpret_cast<CUdeviceptr>(b.data_ptr());
  CUdeviceptr out = reinterpret_cast<CUdeviceptr>(c.data_ptr());
  float weight = 0.25f;
  void* pointers[] = {&in_a, &in_b, &out, &weight};
  CU_CHECK(cuLaunchKernel(function, 2048, 1, 1, 256, 1, 1, 96 * 1024, stream, pointers, nullptr));

  unsigned char packed[28];
  std::memcpy(packed, &in_b, 8);
  std::memcpy(packed + 8, &in_a, 8);
  std::memcpy(packed + 16, &out, 8);
  std::memcpy(packed + 24, &weight, 4);
  size_t bytes = sizeof(packed);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CU_CHECK(cuLaunchKernel(function, 1024, 1, 1, 128, 1, 1, 8192, stream, nullptr, extra));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
