// Numbers of the device attributes that the shim itself reads; brief.py always states these.
#pragma once

#include <cstdint>

#include "api.h"

namespace ptxboard {

constexpr std::uint32_t attribute_threads_per_block = cudaDevAttrMaxThreadsPerBlock;
constexpr std::uint32_t attribute_block_x = cudaDevAttrMaxBlockDimX;
constexpr std::uint32_t attribute_grid_x = cudaDevAttrMaxGridDimX;
constexpr std::uint32_t attribute_shared_per_block = cudaDevAttrMaxSharedMemoryPerBlock;
constexpr std::uint32_t attribute_registers_per_block = cudaDevAttrMaxRegistersPerBlock;
constexpr std::uint32_t attribute_processors = cudaDevAttrMultiProcessorCount;
constexpr std::uint32_t attribute_threads_per_sm = cudaDevAttrMaxThreadsPerMultiProcessor;
constexpr std::uint32_t attribute_shared_per_sm = cudaDevAttrMaxSharedMemoryPerMultiprocessor;
constexpr std::uint32_t attribute_registers_per_sm = cudaDevAttrMaxRegistersPerMultiprocessor;
constexpr std::uint32_t attribute_shared_optin = cudaDevAttrMaxSharedMemoryPerBlockOptin;
constexpr std::uint32_t attribute_blocks_per_sm = cudaDevAttrMaxBlocksPerMultiprocessor;
constexpr std::uint32_t attribute_shared_reserved = cudaDevAttrReservedSharedMemoryPerBlock;

}  // namespace ptxboard
