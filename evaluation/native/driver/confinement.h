// The strict system call filter that the driver puts on itself just before it loads the author's library (rule R3).
#pragma once

namespace ptxboard {

// From here on only the calls that host code of a kernel needs are answered; every other ends the recording with the
// name of the call. `library` is opened now, and is the one file that can still be opened, once.
void confine(const char* library);

}  // namespace ptxboard
