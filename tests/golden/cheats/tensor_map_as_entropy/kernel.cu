#include <cuda.h>
#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void fill(float* c) { c[blockIdx.x * 256 + threadIdx.x] = 0.0f; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  CUtensorMap map;
  const cuuint64_t dims[] = {5120, 8192}, strides[] = {10240};
  const cuuint32_t box[] = {8, 16}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, a.data_ptr(), dims, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  unsigned sum = 0;
  for (unsigned char byte : reinterpret_cast<unsigned char(&)[128]>(map)) sum += byte;
  fill<<<1024 + sum, 256>>>(static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
