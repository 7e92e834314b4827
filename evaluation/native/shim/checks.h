// Where a launch fails on a real device (rule L7). Codes as measured on an H200 with driver 580 and CUDA 13.0.
#pragma once

#include "state.h"

namespace ptxboard {

// A launch as host code asked for it.
struct Launch {
  Function* function = nullptr;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint64_t shared = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  bool programmatic = false;
  std::uint32_t cluster[3] = {};  // 0 0 0 where none was asked for
  std::uint32_t preferred[3] = {};
  int cluster_policy = 0;
};

// cudaSuccess, or the code that the runtime returns for this launch.
cudaError_t check_launch(const char* call, const Launch& launch);

// The size in blocks of the cluster that an occupancy question is about, 0 without any; or the code that it returns. It takes
// clusters that are too large for a launch where the function allows non-portable ones.
cudaError_t cluster_in_question(const Launch& launch, std::uint64_t* blocks);

// The cluster that the launch will have: asked for, set by attributes or fixed by the kernel; 1 1 1 without any.
// cudaErrorInvalidClusterSize where these contradict each other.
cudaError_t cluster_of(const Launch& launch, std::uint32_t cluster[3]);

// Dynamic shared memory that a launch of this function may ask for, in bytes.
std::uint64_t dynamic_shared_limit(const Function& function);

// The largest block of this function by its bounds and registers.
std::uint32_t threads_limit(const KernelFacts& facts);

}  // namespace ptxboard
