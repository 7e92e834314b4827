// Stand-ins for C library calls through which host code could look at its surroundings. The shim comes before the C
// library in the order of symbols. What the driver itself does before the library is loaded passes through.
//
// None of this is a wall: the jail is. It is here so that a reading of the surroundings has a name.
#include "libc.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "control.h"
#include "ending.h"
#include "journal.h"
#include "state.h"

#define PTXBOARD_STANDIN extern "C" __attribute__((visibility("default")))

namespace ptxboard {
namespace {

constexpr std::size_t name_room = 200;

// The real function behind a stand-in. dlvsym is not stood in for, and this version exists in every glibc for x86-64.
template <typename Function>
Function real(const char* name) {
  static Function found = nullptr;
  if (found == nullptr) found = reinterpret_cast<Function>(dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5"));
  if (found == nullptr) fail("a function of the C library is missing");
  return found;
}

void read_name(const char* from, char into[name_room]) {
  if (!ptxboard_text(from, into, name_room)) std::strcpy(into, "(unreadable)");
}

void observe(const char* kind, const char* detail) {
  if (state().author_runs) remark(kind, detail);
}

// Seconds that the clocks of this process are ahead. The two processes are years apart, in every byte of that, so that a
// clock which gets into what a kernel is given is a value that differs (rule L1), however few bytes of it are used.
time_t ahead() {
  constexpr std::uint64_t most = 0x0FFFFFFF;
  constexpr std::uint64_t apart = 0x05A5A5A5;
  if (!state().author_runs) return 0;
  Brief const& brief = state().brief;
  return static_cast<time_t>((mix(brief.seed ^ golden) & most) ^ (brief.process != 0 ? apart : 0));
}

int read_clock(clockid_t clock, timespec* into) {
  int const code = static_cast<int>(syscall(SYS_clock_gettime, clock, into));
  if (code == 0) into->tv_sec += ahead();
  return code;
}

bool names_shim(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  const char* const file = slash != nullptr ? slash + 1 : path;
  for (const char* known : {"libcuda.so", "libcuda.so.1", "libcudart.so", "libcudart.so.13"}) {
    if (std::strcmp(file, known) == 0) return true;
  }
  return false;
}

bool is_cuda_name(const char* name) {
  bool const driver = name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z';
  return driver || std::strncmp(name, "cuda", 4) == 0;
}

// A function that is not recorded is not there, so that host code which can do without it may.
bool is_recorded(const char* name) {
  constexpr const char* recorded[] = {
#define RECORDED_NAME(name) #name,
#include "recorded_names.inc"
#undef RECORDED_NAME
  };
  for (const char* one : recorded) {
    if (std::strcmp(one, name) == 0) return true;
  }
  return false;
}

// The handle that dlopen of a CUDA library gives out.
char library_handle;

}  // namespace

void* real_dlopen(const char* path, int flags) { return real<void* (*)(const char*, int)>("dlopen")(path, flags); }

void* real_dlsym(void* handle, const char* name) { return real<void* (*)(void*, const char*)>("dlsym")(handle, name); }

}  // namespace ptxboard

using namespace ptxboard;

PTXBOARD_STANDIN char* getenv(const char* asked) {
  if (!state().author_runs) return nullptr;  // the jail's environment says nothing either
  char name[name_room];
  read_name(asked, name);
  remark("getenv", name);
  return nullptr;
}

PTXBOARD_STANDIN char* secure_getenv(const char* asked) { return getenv(asked); }

PTXBOARD_STANDIN int clock_gettime(clockid_t clock, timespec* into) {
  observe("clock", "clock_gettime");
  return read_clock(clock, into);
}

PTXBOARD_STANDIN time_t time(time_t* into) {
  observe("clock", "time");
  timespec now{};
  read_clock(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

PTXBOARD_STANDIN int gettimeofday(timeval* into, void*) {
  observe("clock", "gettimeofday");
  timespec now{};
  read_clock(CLOCK_REALTIME, &now);
  *into = timeval{now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

PTXBOARD_STANDIN clock_t clock() {
  observe("clock", "clock");
  timespec used{};
  read_clock(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

PTXBOARD_STANDIN ssize_t getrandom(void* into, std::size_t size, unsigned flags) {
  observe("randomness", "getrandom");
  return syscall(SYS_getrandom, into, size, flags);
}

PTXBOARD_STANDIN int getentropy(void* into, std::size_t size) {
  observe("randomness", "getentropy");
  return syscall(SYS_getrandom, into, size, 0) == static_cast<long>(size) ? 0 : -1;
}

PTXBOARD_STANDIN int dladdr(const void* address, Dl_info* into) {
  observe("dladdr", "dladdr");
  return real<int (*)(const void*, Dl_info*)>("dladdr")(address, into);
}

PTXBOARD_STANDIN int dl_iterate_phdr(int (*visit)(dl_phdr_info*, std::size_t, void*), void* with) {
  observe("dl_iterate_phdr", "dl_iterate_phdr");
  return real<int (*)(int (*)(dl_phdr_info*, std::size_t, void*), void*)>("dl_iterate_phdr")(visit, with);
}

PTXBOARD_STANDIN void* dlopen(const char* path, int flags) {
  if (!state().author_runs) return real_dlopen(path, flags);
  char name[name_room];
  if (path == nullptr) {
    std::strcpy(name, "the program itself");
  } else {
    read_name(path, name);
    if (!names_shim(name)) refuse("dlopen", "loads %s: a kernel may use no library of its own", name);
  }
  remark("dlopen", name);
  return &library_handle;
}

PTXBOARD_STANDIN void* dlmopen(long, const char* path, int flags) { return dlopen(path, flags); }

PTXBOARD_STANDIN int dlclose(void* handle) {
  if (handle == &library_handle) return 0;
  return real<int (*)(void*)>("dlclose")(handle);
}

PTXBOARD_STANDIN void* dlsym(void* handle, const char* asked) {
  if (!state().author_runs) return real_dlsym(handle, asked);
  char name[name_room];
  read_name(asked, name);
  if (!is_cuda_name(name)) refuse("dlsym", "asks for %s: only CUDA functions may be asked for by name", name);
  void* const found = is_recorded(name) ? real_dlsym(RTLD_DEFAULT, name) : nullptr;
  remark("dlsym", name);
  Line("entry").text("name", name).flag("found", found != nullptr);
  return found;
}
