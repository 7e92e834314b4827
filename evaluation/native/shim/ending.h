// The four ways in which a recording process ends on purpose.
#pragma once

namespace ptxboard {

constexpr int exit_complete = 0;
constexpr int exit_refused = 3;
constexpr int exit_crashed = 4;
constexpr int exit_our_fault = 5;

// Ends the process without running destructors or handlers: what the author registered must not speak after the end.
[[noreturn]] void leave(int code);

// Our own fault: says so on descriptor 2 and leaves with exit_our_fault.
[[noreturn]] void fail(const char* what);

// Writes `refused` and leaves: the call makes the kernel not recordable. `why` is a printf format.
[[noreturn]] void refuse(const char* call, const char* why, ...) __attribute__((format(printf, 2, 3)));

}  // namespace ptxboard
