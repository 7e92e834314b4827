// Fills, copies and symbols of the runtime.
#include "api.h"
#include "ending.h"
#include "faults.h"
#include "memory.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr std::uint64_t slice_limit = 64;

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

cudaError_t fill(const char* call, void* destination, int value, const Rows& rows, cudaStream_t stream) {
  int const number = stream_number(call, stream);
  if (number < 0) return failed(cudaErrorInvalidResourceHandle);
  return report(record_fill(destination, static_cast<unsigned>(value) & 0xFF, 1, rows, number));
}

cudaError_t copy(const char* call, const Copy& asked, cudaStream_t stream) {
  int const number = stream_number(call, stream);
  if (number < 0) return failed(cudaErrorInvalidResourceHandle);
  return report(record_copy(call, asked, number));
}

Copy line(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  Copy asked;
  asked.destination = destination;
  asked.source = source;
  asked.width = bytes;
  asked.kind = kind;
  return asked;
}

Copy plane(void* destination, std::size_t destination_pitch, const void* source, std::size_t source_pitch,
           std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  Copy asked = line(destination, source, width, kind);
  asked.count = height;
  asked.destination_pitch = destination_pitch;
  asked.source_pitch = source_pitch;
  return asked;
}

cudaError_t copy_plane(const char* call, const Copy& asked, cudaStream_t stream) {
  bool const something = asked.width != 0 && asked.count != 0;
  if (something && (asked.width > asked.destination_pitch || asked.width > asked.source_pitch)) {
    return failed(cudaErrorInvalidPitchValue);
  }
  return copy(call, asked, stream);
}

cudaError_t fill_cube(const char* call, const cudaPitchedPtr& place, int value, const cudaExtent& extent,
                      cudaStream_t stream) {
  if (extent.depth > slice_limit) refuse(call, "more than %u slices", static_cast<unsigned>(slice_limit));
  for (std::size_t slice = 0; slice < extent.depth; slice++) {
    auto* const base = static_cast<char*>(place.ptr) + slice * place.pitch * place.ysize;
    Rows const rows{extent.width, extent.height, place.pitch};
    if (cudaError_t const code = fill(call, base, value, rows, stream); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

char* start_of(const cudaPitchedPtr& place, const cudaPos& from, std::size_t slice) {
  return static_cast<char*>(place.ptr) + ((from.z + slice) * place.ysize + from.y) * place.pitch + from.x;
}

cudaError_t copy_cube(const char* call, const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  cudaMemcpy3DParms asked;
  if (!fetch(&asked, parameters, sizeof asked)) return failed(cudaErrorInvalidValue);
  if (asked.srcArray != nullptr || asked.dstArray != nullptr) refuse(call, "arrays are not recorded; copy plain memory");
  if (asked.extent.depth > slice_limit) refuse(call, "more than %u slices", static_cast<unsigned>(slice_limit));
  for (std::size_t slice = 0; slice < asked.extent.depth; slice++) {
    Copy const one = plane(start_of(asked.dstPtr, asked.dstPos, slice), asked.dstPtr.pitch,
                           start_of(asked.srcPtr, asked.srcPos, slice), asked.srcPtr.pitch, asked.extent.width,
                           asked.extent.height, asked.kind);
    if (cudaError_t const code = copy_plane(call, one, stream); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

cudaError_t copy_to_symbol(const char* call, const void* host, const void* source, std::size_t bytes,
                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  Symbol const* const symbol = symbol_of(host);
  if (symbol == nullptr) return failed(cudaErrorInvalidSymbol);
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
    return failed(cudaErrorInvalidMemcpyDirection);
  }
  if (offset > symbol->size || bytes > symbol->size - offset) return failed(cudaErrorInvalidValue);
  return copy(call, line(reinterpret_cast<void*>(symbol->range->base + offset), source, bytes, kind), stream);
}

}  // namespace

extern "C" {

cudaError_t cudaMemset(void* destination, int value, std::size_t bytes) {
  return fill("cudaMemset", destination, value, {bytes, 1, 0}, nullptr);
}

cudaError_t cudaMemsetAsync(void* destination, int value, std::size_t bytes, cudaStream_t stream) {
  return fill("cudaMemsetAsync", destination, value, {bytes, 1, 0}, stream);
}

cudaError_t cudaMemset2D(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill("cudaMemset2D", destination, value, {width, height, pitch}, nullptr);
}

cudaError_t cudaMemset2DAsync(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
  return fill("cudaMemset2DAsync", destination, value, {width, height, pitch}, stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr place, int value, cudaExtent extent) {
  return fill_cube("cudaMemset3D", place, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr place, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_cube("cudaMemset3DAsync", place, value, extent, stream);
}

cudaError_t cudaMemcpy(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  return copy("cudaMemcpy", line(destination, source, bytes, kind), nullptr);
}

cudaError_t cudaMemcpyAsync(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy("cudaMemcpyAsync", line(destination, source, bytes, kind), stream);
}

cudaError_t cudaMemcpy2D(void* destination, std::size_t destination_pitch, const void* source, std::size_t source_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  Copy const asked = plane(destination, destination_pitch, source, source_pitch, width, height, kind);
  return copy_plane("cudaMemcpy2D", asked, nullptr);
}

cudaError_t cudaMemcpy2DAsync(void* destination, std::size_t destination_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  Copy const asked = plane(destination, destination_pitch, source, source_pitch, width, height, kind);
  return copy_plane("cudaMemcpy2DAsync", asked, stream);
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) { return copy_cube("cudaMemcpy3D", parameters, nullptr); }

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_cube("cudaMemcpy3DAsync", parameters, stream);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to_symbol("cudaMemcpyToSymbol", symbol, source, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_to_symbol("cudaMemcpyToSymbolAsync", symbol, source, bytes, offset, kind, stream);
}

cudaError_t cudaGetSymbolAddress(void** into, const void* host) {
  Symbol const* const symbol = symbol_of(host);
  if (symbol == nullptr) return failed(cudaErrorInvalidSymbol);
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  *into = reinterpret_cast<void*>(symbol->range->base);
  return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(std::size_t* into, const void* host) {
  Symbol const* const symbol = symbol_of(host);
  if (symbol == nullptr) return failed(cudaErrorInvalidSymbol);
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  *into = symbol->size;
  return cudaSuccess;
}

}  // extern "C"

#pragma GCC visibility pop
