// Copies towards and inside the device, and symbols.
#pragma once

#include "kernels.h"

void report_copies() {
  topic = "copy";
  char* base = nullptr;
  char* other = nullptr;
  cudaMalloc(&base, 1000);
  cudaMalloc(&other, 1000);
  char host[64] = {};
  char host_other[64] = {};
  outcome("to device", cudaMemcpy(base, host, 64, cudaMemcpyHostToDevice));
  outcome("default", cudaMemcpy(base, host, 64, cudaMemcpyDefault));
  outcome("device to device", cudaMemcpy(base, other, 1000, cudaMemcpyDeviceToDevice));
  outcome("host to host", cudaMemcpy(host_other, host, 64, cudaMemcpyHostToHost));
  outcome("kind 7", cudaMemcpy(base, host, 64, cudaMemcpyKind(7)));
  outcome("nothing", cudaMemcpy(base, host, 0, cudaMemcpyHostToDevice));
  outcome("nothing from null", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  outcome("from null", cudaMemcpy(base, nullptr, 64, cudaMemcpyHostToDevice));
  outcome("to null", cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
  outcome("to device, device source", cudaMemcpy(base, other, 64, cudaMemcpyHostToDevice));
  outcome("device to device, host source", cudaMemcpy(base, host, 64, cudaMemcpyDeviceToDevice));
  outcome("to device, host destination", cudaMemcpy(host_other, host, 64, cudaMemcpyHostToDevice));
  outcome("async", cudaMemcpyAsync(base, host, 64, cudaMemcpyHostToDevice, nullptr));
  outcome("2d", cudaMemcpy2D(base, 100, host, 16, 16, 4, cudaMemcpyHostToDevice));
  outcome("2d narrow source pitch", cudaMemcpy2D(base, 100, host, 8, 16, 4, cudaMemcpyHostToDevice));
  outcome("2d narrow pitch", cudaMemcpy2D(base, 8, host, 16, 16, 4, cudaMemcpyHostToDevice));
  outcome("2d no width", cudaMemcpy2D(base, 8, host, 16, 0, 4, cudaMemcpyHostToDevice));
  outcome("to symbol", cudaMemcpyToSymbol(symbol_of_64_bytes, host, 64));
  outcome("to symbol at 32", cudaMemcpyToSymbol(symbol_of_64_bytes, host, 32, 32));
  outcome("to symbol too far", cudaMemcpyToSymbol(symbol_of_64_bytes, host, 64, 32));
  outcome("to symbol wrong kind", cudaMemcpyToSymbol(symbol_of_64_bytes, host, 32, 0, cudaMemcpyDeviceToHost));
  outcome("to symbol from device", cudaMemcpyToSymbol(symbol_of_64_bytes, base, 32, 0, cudaMemcpyDeviceToDevice));
  outcome("to constant", cudaMemcpyToSymbol(constant_of_16_bytes, host, 16));
  outcome("to no symbol", cudaMemcpyToSymbol(static_cast<const void*>(host), host, 16));
  outcome("to null symbol", cudaMemcpyToSymbol(static_cast<const void*>(nullptr), host, 16));
  void* address = nullptr;
  size_t size = 0;
  outcome("address", cudaGetSymbolAddress(&address, symbol_of_64_bytes));
  fact("  found", address != nullptr);
  outcome("size", cudaGetSymbolSize(&size, symbol_of_64_bytes));
  fact("  bytes", (long long)size);
  outcome("constant size", cudaGetSymbolSize(&size, constant_of_16_bytes));
  fact("  bytes", (long long)size);
  outcome("address of none", cudaGetSymbolAddress(&address, static_cast<const void*>(host)));
  outcome("memset symbol", cudaMemset(address, 0, 64));
  result("cuMemcpyHtoD", cuMemcpyHtoD(CUdeviceptr(base), host, 64));
  result("cuMemcpyDtoD", cuMemcpyDtoD(CUdeviceptr(base), CUdeviceptr(other), 64));
  result("cuMemcpyHtoD null", cuMemcpyHtoD(0, host, 64));
  cudaPitchedPtr pitched = make_cudaPitchedPtr(base, 100, 50, 5);
  outcome("memset 3d", cudaMemset3D(pitched, 0, make_cudaExtent(50, 5, 2)));
  cudaMemcpy3DParms cube{};
  cube.srcPtr = make_cudaPitchedPtr(host, 8, 8, 4);
  cube.dstPtr = make_cudaPitchedPtr(base, 100, 50, 5);
  cube.extent = make_cudaExtent(8, 4, 2);
  cube.kind = cudaMemcpyHostToDevice;
  outcome("3d", cudaMemcpy3D(&cube));
  cudaFree(base);
  cudaFree(other);
}
