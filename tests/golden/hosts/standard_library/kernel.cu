// Style: iostream, vector, map, string and mutex statics, a thread_local counter and a unique_ptr of the standard library.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

__global__ void tile_of(const float* a, float* c, int tile) {
  c[static_cast<size_t>(blockIdx.x) * tile + threadIdx.x] = a[static_cast<size_t>(blockIdx.x) * tile + threadIdx.x];
}

static std::mutex g_mutex;
static std::map<std::string, int> g_tiles = {{"gemm/8192", 256}, {"gemm/4096", 128}};
static const std::vector<std::string> g_names = {"gemm", "attention"};
thread_local int t_calls = 0;

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  std::lock_guard<std::mutex> lock(g_mutex);
  if (t_calls++ == 0) std::cout << "first call, rows " << a.size(0) << std::endl;
  const std::string key = g_names.front() + "/" + std::to_string(a.size(0));
  auto found = g_tiles.find(key);
  if (found == g_tiles.end()) {
    std::cerr << "no tile for " << key << "\n";
    found = g_tiles.emplace(key, 64).first;
  }
  auto tile = std::make_unique<int>(found->second);
  const auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id));
  tile_of<<<1024, *tile, 0, stream>>>(static_cast<const float*>(a.data_ptr()), static_cast<float*>(c.data_ptr()), *tile);
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
