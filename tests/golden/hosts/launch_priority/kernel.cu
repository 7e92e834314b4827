// Style: cudaLaunchKernelEx with a launch priority and a programmatic attribute that says no; neither changes a result.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void scale_rows(const float4* in, float4* out, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) out[i] = make_float4(in[i].x * 2.0f, in[i].y, in[i].z, in[i].w);
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  int least = 0, greatest = 0;
  cudaDeviceGetStreamPriorityRange(&least, &greatest);
  cudaLaunchAttribute attrs[2] = {};
  attrs[0].id = cudaLaunchAttributePriority;
  attrs[0].val.priority = greatest;
  attrs[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attrs[1].val.programmaticStreamSerializationAllowed = 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = 512;
  config.blockDim = 128;
  config.stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  config.attrs = attrs;
  config.numAttrs = 2;
  const cudaError_t err = cudaLaunchKernelEx(&config, scale_rows, static_cast<const float4*>(a.data_ptr()),
                                             static_cast<float4*>(c.data_ptr()), 65536);
  TVM_FFI_ICHECK(err == cudaSuccess) << cudaGetErrorString(err);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
