// Memory calls of the driver API.
#include "api.h"
#include "errors.h"
#include "memory.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult fill(const char* call, CUdeviceptr place, unsigned value, unsigned width, std::size_t columns,
              std::size_t rows, std::size_t pitch, CUstream stream) {
  int const number = stream_number(call, stream);
  if (number < 0) return CUDA_ERROR_INVALID_HANDLE;
  Rows asked;
  if (__builtin_mul_overflow(columns, width, &asked.width)) return CUDA_ERROR_INVALID_VALUE;
  asked.count = rows;
  asked.pitch = pitch;
  if (place % width != 0 || (rows > 1 && pitch % width != 0)) return CUDA_ERROR_INVALID_VALUE;
  return driver_code(record_fill(pointer(place), value, width, asked, number));
}

CUresult copy(const char* call, void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
              CUstream stream) {
  int const number = stream_number(call, stream);
  if (number < 0) return CUDA_ERROR_INVALID_HANDLE;
  Copy asked;
  asked.destination = destination;
  asked.source = source;
  asked.width = bytes;
  asked.kind = kind;
  return driver_code(record_copy(call, asked, number));
}

CUresult give(const char* call, CUdeviceptr* into, std::size_t size, Origin origin, CUstream stream) {
  if (into == nullptr || (size == 0 && origin == Origin::device)) return CUDA_ERROR_INVALID_VALUE;
  int const number = stream_number(call, stream);
  if (number < 0) return CUDA_ERROR_INVALID_HANDLE;
  void* const base = size == 0 ? nullptr : allocate(size, origin, number);
  if (base == nullptr && size != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *into = reinterpret_cast<CUdeviceptr>(base);
  return CUDA_SUCCESS;
}

CUresult take(const char* call, CUdeviceptr base, CUstream stream) {
  if (base == 0) return CUDA_SUCCESS;
  int const number = stream_number(call, stream);
  if (number < 0) return CUDA_ERROR_INVALID_HANDLE;
  return release(pointer(base), number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult give_host(void** into, std::size_t size) {
  if (into == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
  *into = allocate_host(size);
  return *into != nullptr ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

}  // namespace

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* into, std::size_t size) { return give("cuMemAlloc", into, size, Origin::device, nullptr); }

CUresult cuMemFree(CUdeviceptr base) { return take("cuMemFree", base, nullptr); }

CUresult cuMemAllocAsync(CUdeviceptr* into, std::size_t size, CUstream stream) {
  return give("cuMemAllocAsync", into, size, Origin::async, stream);
}

CUresult cuMemFreeAsync(CUdeviceptr base, CUstream stream) { return take("cuMemFreeAsync", base, stream); }

CUresult cuMemAllocHost(void** into, std::size_t size) { return give_host(into, size); }

CUresult cuMemHostAlloc(void** into, std::size_t size, unsigned) { return give_host(into, size); }

CUresult cuMemFreeHost(void* base) { return release_host(base) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuMemsetD8(CUdeviceptr place, unsigned char value, std::size_t count) {
  return fill("cuMemsetD8", place, value, 1, count, 1, 0, nullptr);
}

CUresult cuMemsetD16(CUdeviceptr place, unsigned short value, std::size_t count) {
  return fill("cuMemsetD16", place, value, 2, count, 1, 0, nullptr);
}

CUresult cuMemsetD32(CUdeviceptr place, unsigned value, std::size_t count) {
  return fill("cuMemsetD32", place, value, 4, count, 1, 0, nullptr);
}

CUresult cuMemsetD8Async(CUdeviceptr place, unsigned char value, std::size_t count, CUstream stream) {
  return fill("cuMemsetD8Async", place, value, 1, count, 1, 0, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr place, unsigned short value, std::size_t count, CUstream stream) {
  return fill("cuMemsetD16Async", place, value, 2, count, 1, 0, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr place, unsigned value, std::size_t count, CUstream stream) {
  return fill("cuMemsetD32Async", place, value, 4, count, 1, 0, stream);
}

CUresult cuMemsetD2D8(CUdeviceptr place, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height) {
  return fill("cuMemsetD2D8", place, value, 1, width, height, pitch, nullptr);
}

CUresult cuMemsetD2D16(CUdeviceptr place, std::size_t pitch, unsigned short value, std::size_t width,
                       std::size_t height) {
  return fill("cuMemsetD2D16", place, value, 2, width, height, pitch, nullptr);
}

CUresult cuMemsetD2D32(CUdeviceptr place, std::size_t pitch, unsigned value, std::size_t width, std::size_t height) {
  return fill("cuMemsetD2D32", place, value, 4, width, height, pitch, nullptr);
}

CUresult cuMemsetD2D8Async(CUdeviceptr place, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return fill("cuMemsetD2D8Async", place, value, 1, width, height, pitch, stream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr place, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill("cuMemsetD2D16Async", place, value, 2, width, height, pitch, stream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr place, std::size_t pitch, unsigned value, std::size_t width, std::size_t height,
                            CUstream stream) {
  return fill("cuMemsetD2D32Async", place, value, 4, width, height, pitch, stream);
}

CUresult cuMemcpyHtoD(CUdeviceptr destination, const void* source, std::size_t bytes) {
  return copy("cuMemcpyHtoD", pointer(destination), source, bytes, cudaMemcpyHostToDevice, nullptr);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr destination, const void* source, std::size_t bytes, CUstream stream) {
  return copy("cuMemcpyHtoDAsync", pointer(destination), source, bytes, cudaMemcpyHostToDevice, stream);
}

CUresult cuMemcpyDtoD(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  return copy("cuMemcpyDtoD", pointer(destination), pointer(source), bytes, cudaMemcpyDeviceToDevice, nullptr);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return copy("cuMemcpyDtoDAsync", pointer(destination), pointer(source), bytes, cudaMemcpyDeviceToDevice, stream);
}

CUresult cuMemcpyDtoH(void* destination, CUdeviceptr source, std::size_t bytes) {
  return copy("cuMemcpyDtoH", destination, pointer(source), bytes, cudaMemcpyDeviceToHost, nullptr);
}

CUresult cuMemcpyDtoHAsync(void* destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return copy("cuMemcpyDtoHAsync", destination, pointer(source), bytes, cudaMemcpyDeviceToHost, stream);
}

CUresult cuMemcpy(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes) {
  return copy("cuMemcpy", pointer(destination), pointer(source), bytes, cudaMemcpyDefault, nullptr);
}

CUresult cuMemcpyAsync(CUdeviceptr destination, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return copy("cuMemcpyAsync", pointer(destination), pointer(source), bytes, cudaMemcpyDefault, stream);
}

}  // extern "C"

#pragma GCC visibility pop
