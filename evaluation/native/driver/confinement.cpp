#include "confinement.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "control.h"
#include "system_calls.h"

#if !defined(__x86_64__)
#error "the recorder's filter is written for x86-64"
#endif

namespace ptxboard {
namespace {

constexpr std::uint32_t x32_bit = 0x40000000;
constexpr std::size_t program_limit = 256;

const char* library_path = "";
int library_descriptor = -1;

// A classic BPF program, built from the front.
class Program {
 public:
  void add(std::uint16_t code, std::uint32_t value, std::uint8_t if_true = 0, std::uint8_t if_false = 0) {
    if (size_ == program_limit) ptxboard_fail("the system call filter is too long");
    steps_[size_++] = sock_filter{code, if_true, if_false, value};
  }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }
  void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
  // The action for one call; the loaded word is its number.
  void when(long number, std::uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1);
    answer(action);
  }
  // Allowed with one value of one argument only. Overwrites the loaded word, so it ends in an answer.
  void when_argument(long number, unsigned argument, std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 4);
    load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_TRAP);
  }
  sock_fprog get() { return sock_fprog{static_cast<unsigned short>(size_), steps_}; }

 private:
  sock_filter steps_[program_limit];
  std::size_t size_ = 0;
};

// What the C and C++ libraries need for memory, standard output, exceptions and clocks, and nothing else.
constexpr long allowed[] = {
    SYS_read,           SYS_write,       SYS_writev,         SYS_close,        SYS_fstat,      SYS_lseek,
    SYS_pread64,        SYS_mmap,        SYS_mprotect,       SYS_munmap,       SYS_mremap,     SYS_madvise,
    SYS_brk,            SYS_futex,       SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_getpid,     SYS_gettid,
    SYS_clock_gettime,  SYS_clock_getres, SYS_nanosleep,     SYS_clock_nanosleep, SYS_sched_yield, SYS_getrandom,
    SYS_exit_group,
};

void build(Program* program) {
  program->load(offsetof(seccomp_data, arch));
  program->add(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  program->answer(SECCOMP_RET_KILL_PROCESS);
  program->load(offsetof(seccomp_data, nr));
  program->add(BPF_JMP | BPF_JSET | BPF_K, x32_bit, 0, 1);
  program->answer(SECCOMP_RET_KILL_PROCESS);
  for (long const number : allowed) program->when(number, SECCOMP_RET_ALLOW);
  program->when(SYS_ioctl, SECCOMP_RET_ERRNO | ENOTTY);   // standard output asks whether it is a terminal
  program->when(SYS_sysinfo, SECCOMP_RET_ERRNO | EPERM);  // sorting asks how much memory there is, and takes no for an answer
  program->when_argument(SYS_newfstatat, 3, AT_EMPTY_PATH);
  program->when_argument(SYS_tgkill, 0, static_cast<std::uint32_t>(getpid()));
  program->answer(SECCOMP_RET_TRAP);
}

void trapped(int, siginfo_t* information, void* context) {
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  int const number = information->si_syscall;
  SystemCall const* const known = system_call(number);
  static char path[1024];
  path[0] = 0;
  if (known != nullptr && known->path_register >= 0) {
    auto const* const text = reinterpret_cast<const char*>(registers[known->path_register]);
    if (!ptxboard_text(text, path, sizeof path)) std::strcpy(path, "(unreadable)");
  }
  if (number == SYS_openat && library_descriptor >= 0 && std::strcmp(path, library_path) == 0) {
    registers[REG_RAX] = library_descriptor;  // the loader reads the library that was opened before
    library_descriptor = -1;
    return;
  }
  static char why[1280];
  if (known == nullptr) {
    std::snprintf(why, sizeof why, "system call %d: host code of a kernel needs no such call", number);
    ptxboard_refuse("system call", why);
  }
  std::snprintf(why, sizeof why, "%s%s%s", known->why, path[0] != 0 ? ": " : "", path);
  ptxboard_refuse(known->name, why);
}

}  // namespace

void confine(const char* library) {
  library_path = library;
  library_descriptor = open(library, O_RDONLY | O_CLOEXEC);
  if (library_descriptor < 0) ptxboard_fail("the library cannot be opened");
  struct sigaction action{};
  action.sa_sigaction = trapped;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  if (sigaction(SIGSYS, &action, nullptr) != 0) ptxboard_fail("cannot watch system calls");
  static Program program;
  build(&program);
  sock_fprog filter = program.get();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
    ptxboard_fail("cannot confine system calls");
  }
}

}  // namespace ptxboard
