// One launch, whichever call asked for it.
#pragma once

#include "checks.h"

namespace ptxboard {

// Where host code keeps the arguments of a launch.
struct Arguments {
  void** values = nullptr;       // one pointer a parameter
  const void* block = nullptr;   // or the whole parameter block, as CU_LAUNCH_PARAM_BUFFER_POINTER passes it
  std::size_t block_bytes = 0;
};

// Checks the launch and writes it down, or returns the runtime's code and writes nothing. `call` names the API call
// in refusals. The last error is the caller's business.
cudaError_t record_launch(const char* call, const void* function, Launch launch, const Arguments& arguments);

// Takes launch attributes over. Drops with a remark what no plan may hold, refuses what would change the meaning.
cudaError_t take_attributes(const char* call, const cudaLaunchAttribute* attributes, unsigned count, Launch* launch);

inline void set_size(std::uint32_t into[3], dim3 size) {
  into[0] = size.x;
  into[1] = size.y;
  into[2] = size.z;
}

}  // namespace ptxboard
