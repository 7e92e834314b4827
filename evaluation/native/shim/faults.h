// Reading and writing the author's memory without falling over it, and the report of a crash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxboard {

// Copies from or to memory of the author; false where a byte of it cannot be reached.
bool fetch(void* into, const void* from, std::size_t size);
bool store(void* into, const void* from, std::size_t size);

// True where every page of the range can be read.
bool readable(const void* from, std::size_t size);

// Handlers for the faults of host code, on a stack of their own. A fault inside fetch or store is an answer, any
// other is written down as `crash` and ends the process.
void watch_faults();

// What a fault at this address touched: "argument 0 set 1", "allocation 3", "symbol NAME" or "".
void describe_place(std::uint64_t address, char* into, std::size_t room);

}  // namespace ptxboard
