#include <cstdlib>

#include "action.h"

ACTION(allocate) {
  void* plain = nullptr;
  void* async = nullptr;
  void* pinned = nullptr;
  cudaMalloc(&plain, 1000);
  cudaMallocAsync(&async, 2000, call.stream());
  cudaMallocHost(&pinned, 3000);
  std::memset(pinned, 1, 3000);
  cudaFree(plain);
  cudaFreeAsync(async, call.stream());
  cudaFreeHost(pinned);
}

// 24 GiB, not one byte more, and again after it was given back.
ACTION(most_memory) {
  size_t const most = size_t{24} << 30;
  void* found = nullptr;
  void* more = nullptr;
  tell(call, cudaMalloc(&found, most));
  tell(call, cudaMalloc(&more, 256));
  cudaFree(found);
  tell(call, cudaMalloc(&found, most));
}

ACTION(environment) {
  DLTensor wanted = call.layout(0);
  int64_t shape[2] = {3, 100};
  wanted.ndim = 2;
  wanted.shape = shape;
  wanted.dtype = DLDataType{kDLFloat, 32, 1};
  TVMFFIObjectHandle tensor = nullptr;
  if (TVMFFIEnvTensorAlloc(&wanted, &tensor) != 0) std::abort();
  cudaMemsetAsync(TVMFFITensorGetDLTensorPtr(tensor)->data, 0, 1200, call.stream());
  TVMFFIObjectDecRef(tensor);
}

ACTION(environment_on_host) {
  DLTensor wanted = call.layout(0);
  wanted.device = DLDevice{kDLCPU, 0};
  TVMFFIObjectHandle tensor = nullptr;
  tell(call, TVMFFIEnvTensorAlloc(&wanted, &tensor) != 0);
}

ACTION(fill) {
  cudaMemset(call.tensor(0), 0x1FF, 64);
  cudaMemset2DAsync(call.tensor(0), 32, 2, 10, 3, call.stream());
  cuMemsetD16(reinterpret_cast<CUdeviceptr>(call.tensor(0)), 0xABCD, 5);
  cuMemsetD2D32Async(reinterpret_cast<CUdeviceptr>(call.tensor(0)), 64, 0x01020304, 2, 4, call.stream());
}

ACTION(upload) {
  unsigned char rows[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}};
  cudaMemcpyAsync(call.tensor(0), rows, 4, cudaMemcpyHostToDevice, call.stream());
  cudaMemcpy2D(call.tensor(0), 100, rows, 8, 3, 2, cudaMemcpyDefault);
  cudaMemcpyToSymbol(weights, rows, 8, 16, cudaMemcpyHostToDevice);
}

ACTION(upload_changes_later) {
  unsigned char value = 5;
  cudaMemcpyAsync(call.tensor(0), &value, 1, cudaMemcpyHostToDevice, call.stream());
  value = 6;
}

ACTION(upload_too_much) {
  static unsigned char much[(16 << 20) + 1];
  void* room = nullptr;
  cudaMalloc(&room, sizeof much);
  cudaMemcpy(room, much, sizeof much, cudaMemcpyHostToDevice);
}

ACTION(upload_as_much_as_fits) {
  static unsigned char much[16 << 20];
  void* room = nullptr;
  cudaMalloc(&room, sizeof much);
  cudaMemcpy(room, much, sizeof much, cudaMemcpyHostToDevice);
}

ACTION(move) {
  void* symbol = nullptr;
  cudaGetSymbolAddress(&symbol, constants);
  cudaMemcpyAsync(symbol, call.tensor(0), 200, cudaMemcpyDeviceToDevice, call.stream());
  cudaMemcpy2DAsync(call.tensor(1), 64, call.tensor(0), 128, 16, 2, cudaMemcpyDeviceToDevice, call.stream());
}

ACTION(on_host) {
  char from[4] = {1, 2, 3, 4};
  char to[4] = {};
  tell(call, cudaMemcpy(to, from, 4, cudaMemcpyHostToHost));
  tell(call, to[3]);
}

ACTION(read_back) {
  char room[4];
  cudaMemcpyAsync(room, call.tensor(0), 4, cudaMemcpyDeviceToHost, call.stream());
}

ACTION(read_back_default) {
  char room[4];
  cudaMemcpy(room, call.tensor(0), 4, cudaMemcpyDefault);
}

ACTION(read_symbol) {
  char room[4];
  cudaMemcpyFromSymbol(room, weights, 4, 0, cudaMemcpyDeviceToHost);
}

ACTION(beyond) {
  tell(call, cudaMemset(call.tensor(0), 0, size_t{1} << 40));
  void* small = nullptr;
  cudaMalloc(&small, 100);
  tell(call, cudaMemset(static_cast<char*>(small) + 50, 0, 51));
  cudaFree(small);
  tell(call, cudaMemset(small, 0, 1));
}

ACTION(too_large) {
  void* room = nullptr;
  tell(call, cudaMalloc(&room, size_t{1} << 40));
}

ACTION(never_more_aligned) {
  void* room = nullptr;
  for (int i = 0; i < 40; i++) {
    cudaMalloc(&room, 4096);
    if (reinterpret_cast<uint64_t>(room) % 512 == 0) std::abort();
  }
}

ACTION(many_lines) {
  for (int i = 0; i < 30000; i++) cudaMemsetAsync(call.tensor(0), 0, 1, call.stream());
}

ACTION(pointers) {
  void* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  CUmemorytype type{};
  tell(call, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(call.tensor(0))));
  tell(call, type);
  tell(call, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(pinned)));
  tell(call, type);
  tell(call, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&type)));
  bool managed = true;
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* into[] = {&type, &managed};
  tell(call, cuPointerGetAttributes(2, asked, into, reinterpret_cast<CUdeviceptr>(call.tensor(1))));
  tell(call, type);
  tell(call, managed);
}

ACTION(pointer_range) {
  size_t bytes = 0;
  cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, reinterpret_cast<CUdeviceptr>(call.tensor(0)));
}
