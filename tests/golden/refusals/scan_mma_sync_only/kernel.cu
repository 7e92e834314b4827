#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void multiply(float* c, const unsigned* a) {
  float sum[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]));
  for (int i = 0; i < 4; i++) c[(blockIdx.x * 128 + threadIdx.x) * 4 + i] = sum[i];
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  multiply<<<1024, 128>>>(static_cast<float*>(c.data_ptr()), static_cast<const unsigned*>(a.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
