// Are lines of memory in the L2 cache that should not be? Times single loads: of the lines in question, of the same
// lines again (known hot) and of lines that the flush has driven out (known cold). evaluation/core/measure/canary_result.py
// draws the line between hot and cold and counts.
#pragma once

#include "grid.cuh"
#include "philox.cuh"

constexpr unsigned kLineBytes = 128;
constexpr unsigned kLinesEach = 32;  // by one thread, one after another

// Cycles from the issue of a load to the arrival of its value.
__device__ __forceinline__ unsigned load_cycles(unsigned long long address) {
  unsigned begin, end, value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(begin)::"memory");
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  // The second clock is read behind a branch that waits for the value.
  asm volatile(
      "{\n\t.reg .pred arrived;\n\tsetp.ne.u32 arrived, %1, 0x5AFE1E55;\n\t@arrived bra ARRIVED;\n\t"
      "nanosleep.u32 0;\n\tARRIVED:\n\tmov.u32 %0, %%clock;\n\t}"
      : "=r"(end)
      : "r"(value)
      : "memory");
  return end - begin;
}

// One line of stratum ``place`` of ``lines`` equal parts of the range, so that no line comes twice.
__device__ __forceinline__ unsigned long long line_address(unsigned long long address, unsigned long long size,
                                                           unsigned place, unsigned lines, unsigned which,
                                                           unsigned long long key) {
  unsigned long long stratum = size / kLineBytes / lines;
  unsigned offset = random_block(place, which, Use::lines, key).x;
  unsigned long long line = place * stratum + (static_cast<unsigned long long>(offset) * stratum >> 32);
  return address + line * kLineBytes;
}

// Have the page's translation at hand without the line itself: reads the page's first line.
__device__ __forceinline__ void touch_page(unsigned long long line, unsigned long long lowest) {
  unsigned long long page = line & ~((1ull << 21) - 1);
  unsigned value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(page < lowest ? lowest : page) : "memory");
  if (value == 0x5AFE1E55u) __nanosleep(0);
}

// One thread a block. Cycles of lines lie in ``result`` in three parts of gridDim.x * 32: asked, hot, cold.
extern "C" __global__ void __launch_bounds__(1)
trusted_canary(unsigned long long address, unsigned long long size, unsigned long long cold, unsigned long long cold_size,
               unsigned long long key, unsigned* result) {
  unsigned lines = gridDim.x * kLinesEach;
  unsigned first = blockIdx.x * kLinesEach;
  unsigned cycles[3][kLinesEach];
  for (unsigned each = 0; each < kLinesEach; ++each) {
    unsigned long long line = line_address(address, size, first + each, lines, 0, key);
    touch_page(line, address);
    cycles[0][each] = load_cycles(line);
  }
  for (unsigned each = 0; each < kLinesEach; ++each) {
    unsigned long long line = line_address(address, size, first + each, lines, 0, key);
    touch_page(line, address);
    cycles[1][each] = load_cycles(line);
  }
  for (unsigned each = 0; each < kLinesEach; ++each) {
    unsigned long long line = line_address(cold, cold_size, first + each, lines, 1, key);
    touch_page(line, cold);
    cycles[2][each] = load_cycles(line);
  }
  for (unsigned part = 0; part < 3; ++part)
    for (unsigned each = 0; each < kLinesEach; ++each) result[part * lines + first + each] = cycles[part][each];
}
