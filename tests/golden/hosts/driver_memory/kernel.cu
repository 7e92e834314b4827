// Style: memory by the driver API: cuMemAlloc once, cuMemAllocAsync in each call, cuMemcpyHtoDAsync, cuMemsetD8Async, cuStreamSynchronize.
#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void scatter(const int* order, const float* a, float* workspace) {
  workspace[order[blockIdx.x] * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
}

__global__ void gather(const float* workspace, float* c) { c[blockIdx.x * 256 + threadIdx.x] = workspace[blockIdx.x * 256 + threadIdx.x]; }

static void check(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  TVM_FFI_THROW(RuntimeError) << (name != nullptr ? name : "unknown error");
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const CUstream stream = static_cast<CUstream>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  static CUdeviceptr workspace = 0;
  if (workspace == 0) check(cuMemAlloc(&workspace, 1 << 20));
  CUdeviceptr order = 0;
  check(cuMemAllocAsync(&order, 4096, stream));
  int host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = 1023 - i;
  check(cuMemcpyHtoDAsync(order, host, sizeof(host), stream));
  check(cuMemsetD8Async(workspace, 0, 1 << 20, stream));
  scatter<<<1024, 256, 0, stream>>>(reinterpret_cast<const int*>(order), static_cast<const float*>(a.data_ptr()),
                                    reinterpret_cast<float*>(workspace));
  gather<<<1024, 256, 0, stream>>>(reinterpret_cast<const float*>(workspace), static_cast<float*>(c.data_ptr()));
  check(cuMemFreeAsync(order, stream));
  check(cuStreamSynchronize(stream));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
