// What the driver asks of the shim. Kernels do not know these names, and the build refuses imports of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "brief.h"

#define PTXBOARD_CONTROL extern "C" __attribute__((visibility("default")))

namespace ptxboard {

// Reads the brief from an open descriptor and writes `begin`.
PTXBOARD_CONTROL const Brief* ptxboard_open(int descriptor);

// A token for one tensor argument in one buffer set; writes `buffer`.
PTXBOARD_CONTROL void* ptxboard_buffer(std::uint32_t argument, std::uint32_t set, std::uint64_t size);

// The handle of stream 1, which TVMFFIEnvGetStream is to return.
PTXBOARD_CONTROL void* ptxboard_stream();

// Memory for the allocator of the environment (rule R7).
PTXBOARD_CONTROL void* ptxboard_allocate(std::uint64_t size);
PTXBOARD_CONTROL void ptxboard_release(void* base);

// Handlers for faults of host code.
PTXBOARD_CONTROL void ptxboard_watch();

// The library, loaded with everything it calls; null where that fails, with `refused` already written.
PTXBOARD_CONTROL void* ptxboard_load(const char* path);
PTXBOARD_CONTROL void* ptxboard_entry(void* library, const char* name);

PTXBOARD_CONTROL void ptxboard_call(std::uint32_t number, std::uint32_t set);
// `message` is text of the author and may lie anywhere.
PTXBOARD_CONTROL void ptxboard_return(std::uint32_t number, int status, const char* message, std::size_t size);
PTXBOARD_CONTROL __attribute__((noreturn)) void ptxboard_end();

PTXBOARD_CONTROL __attribute__((noreturn)) void ptxboard_fail(const char* what);
PTXBOARD_CONTROL __attribute__((noreturn)) void ptxboard_refuse(const char* call, const char* why);

// Copies text of the author, at most `room` - 1 bytes; false where it cannot be read.
PTXBOARD_CONTROL bool ptxboard_text(const char* from, char* into, std::size_t room);

}  // namespace ptxboard
