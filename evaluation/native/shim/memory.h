// Device memory: token ranges and what is done to them.
#pragma once

#include "state.h"

namespace ptxboard {

// A new range of device memory; writes `alloc`. Null when the device of the table has no such room.
void* allocate(std::uint64_t size, Origin origin, int stream);

// Gives a range back; writes `free`. False for what is not the base of a live one of these.
bool release(void* base, int stream);

// A rectangle of rows in memory; one row has pitch 0.
struct Rows {
  std::uint64_t width = 0;  // bytes a row
  std::uint64_t count = 1;
  std::uint64_t pitch = 0;  // bytes from row to row
};

// True where all of these bytes lie in one live range.
bool inside(const void* place, std::uint64_t bytes);

// Fills rows with elements of 1, 2 or 4 bytes; writes `memset`.
cudaError_t record_fill(void* destination, unsigned value, unsigned element_bytes, const Rows& rows, int stream);

// A copy of rows, whose direction the pointers decide. Widths and counts of both sides are equal.
struct Copy {
  void* destination = nullptr;
  const void* source = nullptr;
  std::uint64_t width = 0;
  std::uint64_t count = 1;
  std::uint64_t destination_pitch = 0;
  std::uint64_t source_pitch = 0;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

// Writes `payload` or `copy`, or copies on the host. Refuses what would bring device data to the host.
cudaError_t record_copy(const char* call, const Copy& copy, int stream);

// Real memory that stands for pinned memory; null when there is none. Writes `alloc` of kind host.
void* allocate_host(std::uint64_t size);
bool release_host(void* base);
HostMemory* host_memory_of(const void* place);

// Announces memory of the author as pinned, or no longer so.
bool register_host(void* base, std::uint64_t size);
bool unregister_host(void* base);

}  // namespace ptxboard
