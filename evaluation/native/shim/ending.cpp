#include "ending.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "journal.h"

namespace ptxboard {

void leave(int code) {
  syscall(SYS_exit_group, code);
  __builtin_unreachable();
}

void fail(const char* what) {
  for (const char* part : {"ptxboard recorder: ", what, "\n"}) {
    if (write(2, part, std::strlen(part)) < 0) break;
  }
  leave(exit_our_fault);
}

void refuse(const char* call, const char* why, ...) {
  char reason[512];
  va_list values;
  va_start(values, why);
  std::vsnprintf(reason, sizeof reason, why, values);
  va_end(values);
  journal_make_way();
  Line("refused").text("call", call).text("why", reason);
  leave(exit_refused);
}

}  // namespace ptxboard
