#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c) { c[blockIdx.x * 256 + threadIdx.x] = 0.0f; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  cudaLaunchConfig_t config{};
  config.gridDim = 1024;
  config.blockDim = 256;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeAccessPolicyWindow;
  attribute.val.accessPolicyWindow.base_ptr = a.data_ptr();
  attribute.val.accessPolicyWindow.num_bytes = 1 << 20;
  attribute.val.accessPolicyWindow.hitRatio = 1.0f;
  attribute.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.val.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, fill, static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
