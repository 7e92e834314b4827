// How much of a kernel an SM holds; the rules are spelled out in evaluation/core/catalogue/occupancy.py.
#pragma once

#include "state.h"

namespace ptxboard {

// Blocks that one SM holds at a time; 0 where not even one fits.
std::uint32_t active_blocks(const Function& function, std::uint32_t threads, std::uint64_t dynamic_shared);

// Clusters of so many blocks that the device holds at a time, of a kernel of which an SM holds `held` blocks; false
// where the table does not say.
bool active_clusters(std::uint64_t blocks, std::uint32_t held, std::uint64_t* clusters);

// Threads that the registers of an SM allow in one block, in whole warps.
std::uint32_t threads_by_registers(const KernelFacts& facts);

}  // namespace ptxboard
