// Fills and copies. Codes as measured on an H200 (CUDA 13.0, driver 580).
#include <cstring>

#include "ending.h"
#include "faults.h"
#include "journal.h"
#include "memory.h"

namespace ptxboard {
namespace {

constexpr std::uint64_t payload_limit_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t row_limit = std::uint64_t{1} << 20;

// The span of rows, or false where it does not fit into 64 bits.
bool span_of(std::uint64_t width, std::uint64_t count, std::uint64_t pitch, std::uint64_t* span) {
  std::uint64_t lead = 0;
  return !__builtin_mul_overflow(pitch, count - 1, &lead) && !__builtin_add_overflow(lead, width, span);
}

std::uint64_t pitch_of(std::uint64_t count, std::uint64_t pitch) { return count == 1 ? 0 : pitch; }

cudaError_t write_payload(const char* call, const Copy& copy, int stream) {
  std::uint64_t const bytes = copy.width * copy.count;
  if (bytes > payload_limit_bytes) {
    refuse(call, "%llu bytes from host to device: a plan holds at most 16 MiB", static_cast<unsigned long long>(bytes));
  }
  auto const* const source = static_cast<const char*>(copy.source);
  for (std::uint64_t row = 0; row < copy.count; row++) {
    if (!readable(source + row * copy.source_pitch, copy.width)) return cudaErrorInvalidValue;
  }
  journal_need(bytes * 2 + 4096);
  Line line("payload");
  line.number("destination", reinterpret_cast<std::uint64_t>(copy.destination)).hex_open("hex");
  for (std::uint64_t row = 0; row < copy.count; row++) line.hex_more(source + row * copy.source_pitch, copy.width);
  line.hex_close().number("columns", copy.width).number("rows", copy.count);
  line.number("pitch", pitch_of(copy.count, copy.destination_pitch)).number("stream", static_cast<unsigned>(stream));
  return cudaSuccess;
}

void write_copy(const Copy& copy, int stream) {
  Line line("copy");
  line.number("destination", reinterpret_cast<std::uint64_t>(copy.destination));
  line.number("source", reinterpret_cast<std::uint64_t>(copy.source)).number("columns", copy.width);
  line.number("rows", copy.count).number("destination_pitch", pitch_of(copy.count, copy.destination_pitch));
  line.number("source_pitch", pitch_of(copy.count, copy.source_pitch)).number("stream", static_cast<unsigned>(stream));
}

cudaError_t copy_on_host(const Copy& copy) {
  for (std::uint64_t row = 0; row < copy.count; row++) {
    auto* const into = static_cast<char*>(copy.destination) + row * copy.destination_pitch;
    if (!store(into, static_cast<const char*>(copy.source) + row * copy.source_pitch, copy.width)) return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

// The runtime trusts the pointers, but refuses a kind that they contradict.
bool kind_fits(cudaMemcpyKind kind, bool to_device, bool from_device) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to_device && !from_device;
    case cudaMemcpyHostToDevice:
      return to_device;
    case cudaMemcpyDeviceToHost:
      return from_device;
    case cudaMemcpyDeviceToDevice:
      return to_device && from_device;
    default:
      return true;
  }
}

}  // namespace

cudaError_t record_fill(void* destination, unsigned value, unsigned element_bytes, const Rows& rows, int stream) {
  if (rows.width == 0 || rows.count == 0) return cudaSuccess;
  if (rows.count > 1 && rows.pitch < rows.width) return cudaErrorInvalidValue;
  std::uint64_t span = 0;
  if (!span_of(rows.width, rows.count, pitch_of(rows.count, rows.pitch), &span) || !inside(destination, span)) {
    return cudaErrorInvalidValue;
  }
  Line line("memset");
  line.number("destination", reinterpret_cast<std::uint64_t>(destination)).number("value", value);
  line.number("width", element_bytes).number("columns", rows.width / element_bytes).number("rows", rows.count);
  line.number("pitch", pitch_of(rows.count, rows.pitch)).number("stream", static_cast<unsigned>(stream));
  return cudaSuccess;
}

cudaError_t record_copy(const char* call, const Copy& copy, int stream) {
  if (copy.kind < cudaMemcpyHostToHost || copy.kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.width == 0 || copy.count == 0) return cudaSuccess;
  if (copy.count > row_limit) refuse(call, "a copy of more than %llu rows", static_cast<unsigned long long>(row_limit));
  bool const many = copy.count > 1;
  if (many && (copy.destination_pitch < copy.width || copy.source_pitch < copy.width)) return cudaErrorInvalidPitchValue;
  std::uint64_t to_span = 0;
  std::uint64_t from_span = 0;
  if (!span_of(copy.width, copy.count, pitch_of(copy.count, copy.destination_pitch), &to_span) ||
      !span_of(copy.width, copy.count, pitch_of(copy.count, copy.source_pitch), &from_span)) {
    return cudaErrorInvalidValue;
  }
  bool const to_device = state().tokens.find(copy.destination) != nullptr;
  bool const from_device = state().tokens.find(copy.source) != nullptr;
  if (!kind_fits(copy.kind, to_device, from_device)) return cudaErrorInvalidValue;
  if ((to_device && !inside(copy.destination, to_span)) || (from_device && !inside(copy.source, from_span))) {
    return cudaErrorInvalidValue;
  }
  if (from_device && !to_device) {
    refuse(call, "device to host: a recorded kernel may not read device data on the host");
  }
  if (to_device && !from_device) return write_payload(call, copy, stream);
  if (!to_device) return copy_on_host(copy);
  write_copy(copy, stream);
  return cudaSuccess;
}

}  // namespace ptxboard
