#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "action.h"

namespace {

// A number that the compiler cannot know.
volatile int nothing = 0;

void deep(volatile char* above) {
  volatile char room[4096];
  room[0] = above[0];
  deep(room);
  room[1] = room[0];
}

}  // namespace

ACTION(environment_variable) { tell(call, std::getenv("HOME") == nullptr); }
ACTION(clock) { tell(call, std::chrono::steady_clock::now().time_since_epoch().count() != 0); }
ACTION(time) { tell(call, time(nullptr) != 0); }
ACTION(seconds) {
  time_t const now = time(nullptr);
  for (int byte = 0; byte < 4; byte++) tell(call, static_cast<int>(now >> (8 * byte)) & 0xFF);
}
ACTION(all_clocks) {
  timespec passed{};
  timeval day{};
  clock_gettime(CLOCK_MONOTONIC, &passed);
  gettimeofday(&day, nullptr);
  for (time_t now : {passed.tv_sec, day.tv_sec, static_cast<time_t>(clock() / CLOCKS_PER_SEC)}) {
    tell(call, static_cast<int>(now >> 8) & 0xFF);
  }
}
ACTION(loaded_objects) {
  int count = 0;
  auto const visit = [](dl_phdr_info*, std::size_t, void* counted) { return ++*static_cast<int*>(counted), 0; };
  dl_iterate_phdr(visit, &count);
  tell(call, count > 3);
}
ACTION(catch_own) {
  try {
    throw std::runtime_error("own");
  } catch (const std::exception& error) {
    tell(call, static_cast<int>(std::strlen(error.what())));
  }
}
ACTION(random) {
  char room[4];
  tell(call, static_cast<int>(getrandom(room, sizeof room, 0)));
}
ACTION(where_am_i) {
  Dl_info found{};
  tell(call, dladdr(reinterpret_cast<void*>(scale), &found) != 0);
}
ACTION(thread) { std::thread([] {}).join(); }
ACTION(raw_thread) { syscall(SYS_clone, 0x00010F00, nullptr, nullptr, nullptr, nullptr); }
ACTION(fork) { tell(call, fork()); }
ACTION(raw_fork) { syscall(SYS_fork); }
ACTION(shell) { tell(call, std::system("true")); }
ACTION(socket) { socket(AF_INET, SOCK_STREAM, 0); }
ACTION(read_file) { std::ifstream("/proc/self/maps").get(); }
ACTION(open_file) { open("/tmp/x", O_WRONLY | O_CREAT, 0600); }
ACTION(stat_file) {
  struct stat found{};
  stat("/usr/bin/bwrap", &found);
}
ACTION(own_library_again) { open("/judge/kernel.so", O_RDONLY); }
ACTION(load_blas) { dlopen("libcublas.so.13", RTLD_NOW); }
ACTION(load_driver) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  auto const malloc_ = reinterpret_cast<CUresult (*)(CUdeviceptr*, size_t)>(dlsym(library, "cuMemAlloc_v2"));
  CUdeviceptr room = 0;
  tell(call, malloc_(&room, 16));
}
ACTION(ask_for_setenv) { tell(call, dlsym(RTLD_DEFAULT, "setenv") != nullptr); }
ACTION(handler) { std::signal(SIGSEGV, SIG_IGN); }
ACTION(kill_other) { kill(1, 0); }
ACTION(memfd) { syscall(SYS_memfd_create, "x", 0); }
ACTION(seccomp_again) { syscall(SYS_seccomp, 0, 0, nullptr); }
ACTION(odd_call) { syscall(SYS_swapon, nullptr, 0); }
ACTION(leave) { std::exit(0); }
ACTION(leave_by_call) { syscall(SYS_exit_group, 0); }
ACTION(print) {
  std::printf("hello\n");
  std::fflush(stdout);
}
ACTION(touch_tensor) { tell(call, *static_cast<volatile char*>(call.tensor(1))); }
ACTION(touch_allocation) {
  char* room = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&room), 100);
  room[99] = 1;
}
ACTION(touch_symbol) {
  void* address = nullptr;
  cudaGetSymbolAddress(&address, weights);
  *static_cast<volatile char*>(address) = 1;
}
ACTION(touch_nothing) { *reinterpret_cast<volatile char*>(static_cast<intptr_t>(nothing + 8)) = 1; }
ACTION(divide) { tell(call, call.number * 7 / nothing); }
ACTION(abort) { std::abort(); }
ACTION(overflow_stack) {
  char top[1] = {};
  deep(top);
}
ACTION(spin) {
  while (nothing == 0) {
  }
}
ACTION(take_memory) {
  for (;;) {
    auto* const room = static_cast<char*>(std::malloc(16 << 20));
    if (room == nullptr) break;
    std::memset(room, 1, 16 << 20);
  }
  tell(call, 77);
}
ACTION(uncaught) { throw std::runtime_error("thrown"); }

// Every call that rule R3 names, past the C library.
#define RAW(name) \
  ACTION(raw_##name) { tell(call, static_cast<int>(syscall(SYS_##name, 0, 0, 0, 0, 0, 0))); }

RAW(vfork)
RAW(clone3)
RAW(execve)
RAW(ptrace)
RAW(process_vm_readv)
RAW(process_vm_writev)
RAW(userfaultfd)
RAW(io_uring_setup)
RAW(io_uring_enter)
RAW(io_uring_register)
RAW(bpf)
RAW(perf_event_open)
RAW(keyctl)
RAW(mount)
RAW(umount2)
RAW(pivot_root)
RAW(chroot)
RAW(unshare)
RAW(setns)
RAW(prctl)
RAW(tgkill)
RAW(tkill)
