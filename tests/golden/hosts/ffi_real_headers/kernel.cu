// Style: more of TVM-FFI than the slim headers have: dtypes compared and printed, a String, an Array of sizes.
#include <cuda_runtime.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/string.h>
#include <tvm/ffi/tvm_ffi.h>

namespace ffi = tvm::ffi;

__global__ void blocks_of(const float* a, float* c, int block) { c[blockIdx.x * block + threadIdx.x] = a[blockIdx.x * block + threadIdx.x]; }

void run(ffi::TensorView a, ffi::TensorView b, ffi::TensorView c) {
  TVM_FFI_ICHECK_EQ(a.dtype(), b.dtype()) << "A and B differ in type";
  TVM_FFI_ICHECK_EQ(a.dtype(), ffi::StringToDLDataType("bfloat16"));
  const ffi::Array<int64_t> blocks = {512, 256, 128};
  const ffi::String name = "gemm";
  int block = 0;
  for (int64_t one : blocks) {
    if (a.size(1) % one == 0 && block == 0) block = static_cast<int>(one);
  }
  TVM_FFI_ICHECK_GT(block, 0) << name << ": no block for " << a.shape();
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  blocks_of<<<1024, block, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()), block);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
