// A 16-byte load from an address that is no multiple of 16.

#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

__global__ void read(const char* a, uint4* c) { c[0] = *reinterpret_cast<const uint4*>(a + 4); }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  read<<<1, 1>>>(static_cast<const char*>(a.data_ptr()), static_cast<uint4*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
