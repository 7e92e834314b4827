// Launches that must fail, and those beside them that must not (rule L7).
#pragma once

#include "kernels.h"

inline cudaError_t start(const void* function, dim3 grid, dim3 block, size_t shared = 0) {
  float* none = nullptr;
  int rounds = 0;
  void* arguments[] = {&none, &rounds};
  return cudaLaunchKernel(function, grid, block, arguments, shared, nullptr);
}

inline void not_a_kernel() {}

void report_launches() {
  topic = "launch";
  auto* const kernel = reinterpret_cast<const void*>(plain);
  outcome("one thread", start(kernel, dim3(1), dim3(1)));
  outcome("grid x 0", start(kernel, dim3(0), dim3(1)));
  outcome("grid y 0", start(kernel, dim3(1, 0), dim3(1)));
  outcome("grid z 0", start(kernel, dim3(1, 1, 0), dim3(1)));
  outcome("grid x 2^31", start(kernel, dim3(1u << 31), dim3(1)));
  outcome("grid y 65536", start(kernel, dim3(1, 65536), dim3(1)));
  outcome("grid z 65536", start(kernel, dim3(1, 1, 65536), dim3(1)));
  outcome("block 0", start(kernel, dim3(1), dim3(0)));
  outcome("block 1024", start(kernel, dim3(1), dim3(1024)));
  outcome("block 1025", start(kernel, dim3(1), dim3(1025)));
  outcome("block 1024 by 2", start(kernel, dim3(1), dim3(1024, 2)));
  outcome("block z 64", start(kernel, dim3(1), dim3(1, 1, 64)));
  outcome("block z 65", start(kernel, dim3(1), dim3(1, 1, 65)));
  outcome("bounded 256", start(reinterpret_cast<const void*>(bounded), dim3(1), dim3(256)));
  outcome("bounded 257", start(reinterpret_cast<const void*>(bounded), dim3(1), dim3(257)));
  outcome("hungry 512", start(reinterpret_cast<const void*>(hungry<200>), dim3(1), dim3(512)));
  outcome("not a kernel", start(reinterpret_cast<const void*>(not_a_kernel), dim3(1), dim3(1)));
  outcome("no function", start(nullptr, dim3(1), dim3(1)));
  auto* const dynamic = reinterpret_cast<const void*>(dynamic_shared);
  outcome("shared 48 KiB", start(dynamic, dim3(1), dim3(32), 48 << 10));
  outcome("shared 48 KiB + 1", start(dynamic, dim3(1), dim3(32), (48 << 10) + 1));
  auto* const fixed = reinterpret_cast<const void*>(static_shared);
  outcome("static 1 KiB and 47 KiB", start(fixed, dim3(1), dim3(32), 47 << 10));
  outcome("static 1 KiB and 47 KiB + 1", start(fixed, dim3(1), dim3(32), (47 << 10) + 1));
  plain<<<1, 2048>>>(nullptr);
  outcome("triple chevron, block 2048", cudaPeekAtLastError());
  plain<<<1, 32>>>(nullptr);
  outcome("triple chevron", cudaPeekAtLastError());
  float* none = nullptr;
  void* arguments[] = {&none};
  outcome("cooperative", cudaLaunchCooperativeKernel(kernel, dim3(132), dim3(128), arguments, 0, nullptr));
  outcome("cooperative, too many blocks",
          cudaLaunchCooperativeKernel(kernel, dim3(132 * 16 + 1), dim3(128), arguments, 0, nullptr));
  outcome("cooperative, exactly full",
          cudaLaunchCooperativeKernel(kernel, dim3(132 * 16), dim3(128), arguments, 0, nullptr));
  outcome("cooperative, no blocks", cudaLaunchCooperativeKernel(kernel, dim3(0), dim3(128), arguments, 0, nullptr));
  outcome("wait", cudaDeviceSynchronize());
}
