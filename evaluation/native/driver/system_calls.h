// Names and reasons for the system calls that the filter stops.
#pragma once

namespace ptxboard {

struct SystemCall {
  long number;
  const char* name;
  const char* why;
  int path_register;  // the register of a path among the arguments, or -1
};

// The entry of a call, or null for one without a name here.
const SystemCall* system_call(long number);

}  // namespace ptxboard
