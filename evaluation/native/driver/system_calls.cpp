#include "system_calls.h"

#include <sys/syscall.h>
#include <ucontext.h>

namespace ptxboard {
namespace {

constexpr const char* file = "a kernel may not read or write files";
constexpr const char* network = "a kernel may not use the network";
constexpr const char* process = "a kernel may start no process and no host thread";
constexpr const char* others = "a kernel may not touch other processes";
constexpr const char* signals = "a kernel may not change how the process handles signals";
constexpr const char* memory = "a kernel may not share memory outside its process";
constexpr const char* machine = "a kernel may not look at or change the machine";

#define CALL(name, why, path) SystemCall{SYS_##name, #name, why, path}

constexpr SystemCall calls[] = {
    CALL(open, file, REG_RDI),
    CALL(openat, file, REG_RSI),
    CALL(openat2, file, REG_RSI),
    CALL(creat, file, REG_RDI),
    CALL(stat, file, REG_RDI),
    CALL(lstat, file, REG_RDI),
    CALL(newfstatat, file, REG_RSI),
    CALL(statx, file, REG_RSI),
    CALL(statfs, file, REG_RDI),
    CALL(access, file, REG_RDI),
    CALL(faccessat, file, REG_RSI),
    CALL(faccessat2, file, REG_RSI),
    CALL(readlink, file, REG_RDI),
    CALL(readlinkat, file, REG_RSI),
    CALL(mkdir, file, REG_RDI),
    CALL(mkdirat, file, REG_RSI),
    CALL(unlink, file, REG_RDI),
    CALL(unlinkat, file, REG_RSI),
    CALL(rename, file, REG_RDI),
    CALL(chdir, file, REG_RDI),
    CALL(chmod, file, REG_RDI),
    CALL(getcwd, file, -1),
    CALL(getdents64, file, -1),
    CALL(ftruncate, file, -1),
    CALL(fcntl, file, -1),
    CALL(dup, file, -1),
    CALL(dup2, file, -1),
    CALL(dup3, file, -1),
    CALL(pipe, file, -1),
    CALL(pipe2, file, -1),
    CALL(poll, file, -1),
    CALL(select, file, -1),
    CALL(epoll_create1, file, -1),
    CALL(eventfd2, file, -1),
    CALL(inotify_init1, file, -1),
    CALL(socket, network, -1),
    CALL(socketpair, network, -1),
    CALL(connect, network, -1),
    CALL(bind, network, -1),
    CALL(listen, network, -1),
    CALL(sendto, network, -1),
    CALL(recvfrom, network, -1),
    CALL(clone, process, -1),
    CALL(clone3, process, -1),
    CALL(fork, process, -1),
    CALL(vfork, process, -1),
    CALL(execve, process, REG_RDI),
    CALL(execveat, process, REG_RSI),
    CALL(wait4, process, -1),
    CALL(kill, others, -1),
    CALL(tkill, others, -1),
    CALL(tgkill, others, -1),
    CALL(ptrace, others, -1),
    CALL(process_vm_readv, others, -1),
    CALL(process_vm_writev, others, -1),
    CALL(pidfd_open, others, -1),
    CALL(getppid, others, -1),
    CALL(rt_sigaction, signals, -1),
    CALL(sigaltstack, signals, -1),
    CALL(alarm, signals, -1),
    CALL(setitimer, signals, -1),
    CALL(timer_create, signals, -1),
    CALL(timerfd_create, signals, -1),
    CALL(memfd_create, memory, -1),
    CALL(shmget, memory, -1),
    CALL(shmat, memory, -1),
    CALL(mlock, memory, -1),
    CALL(userfaultfd, machine, -1),
    CALL(io_uring_setup, machine, -1),
    CALL(io_uring_enter, machine, -1),
    CALL(io_uring_register, machine, -1),
    CALL(bpf, machine, -1),
    CALL(perf_event_open, machine, -1),
    CALL(keyctl, machine, -1),
    CALL(add_key, machine, -1),
    CALL(mount, machine, -1),
    CALL(umount2, machine, -1),
    CALL(pivot_root, machine, -1),
    CALL(chroot, machine, -1),
    CALL(unshare, machine, -1),
    CALL(setns, machine, -1),
    CALL(prctl, machine, -1),
    CALL(arch_prctl, machine, -1),
    CALL(seccomp, machine, -1),
    CALL(uname, machine, -1),
    CALL(getuid, machine, -1),
    CALL(geteuid, machine, -1),
    CALL(setuid, machine, -1),
    CALL(getrlimit, machine, -1),
    CALL(setrlimit, machine, -1),
    CALL(prlimit64, machine, -1),
    CALL(getrusage, machine, -1),
    CALL(times, machine, -1),
    CALL(sched_getaffinity, machine, -1),
    CALL(sched_setaffinity, machine, -1),
    CALL(getcpu, machine, -1),
    CALL(personality, machine, -1),
};

#undef CALL

}  // namespace

const SystemCall* system_call(long number) {
  for (SystemCall const& one : calls) {
    if (one.number == number) return &one;
  }
  return nullptr;
}

}  // namespace ptxboard
