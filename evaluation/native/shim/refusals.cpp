// Every function of the CUDA runtime and driver API that the shim does not record, and calls of the C library that
// leave the process: each is there only to be named. No header is included that declares them.
#include "ending.h"

namespace {

bool starts(const char* text, const char* with) {
  for (; *with != 0; text++, with++) {
    if (*text != *with) return false;
  }
  return true;
}

bool contains(const char* text, const char* part) {
  for (; *text != 0; text++) {
    if (starts(text, part)) return true;
  }
  return false;
}

bool ends(const char* text, const char* with) {
  for (; *text != 0; text++) {
    if (starts(text, with) && text[__builtin_strlen(with)] == 0) return true;
  }
  return false;
}

struct Reason {
  const char* part;
  const char* why;
};

// The first that fits a name explains it.
constexpr Reason reasons[] = {
    {"Graph", "CUDA graphs are not recorded; launch the kernels themselves"},
    {"Capture", "CUDA graphs are not recorded; launch the kernels themselves"},
    {"UserObject", "CUDA graphs are not recorded; launch the kernels themselves"},
    {"Managed", "managed memory is not recorded; use cudaMalloc"},
    {"Prefetch", "managed memory is not recorded; use cudaMalloc"},
    {"Advise", "managed memory is not recorded; use cudaMalloc"},
    {"AttachMem", "managed memory is not recorded; use cudaMalloc"},
    {"FromSymbol", "device to host: a recorded kernel may not read device data on the host"},
    {"DtoH", "device to host: a recorded kernel may not read device data on the host"},
    {"AtoH", "device to host: a recorded kernel may not read device data on the host"},
    {"HostGetDevicePointer", "kernels that read host memory are not recorded; copy it to the device"},
    {"Ipc", "memory and events shared between processes are not recorded"},
    {"Peer", "a kernel is judged on one device"},
    {"Module", "only the kernels of the submitted file may run; loading others is not recorded"},
    {"Library", "only the kernels of the submitted file may run; loading others is not recorded"},
    {"Link", "only the kernels of the submitted file may run; loading others is not recorded"},
    {"HostFunc", "host callbacks are not recorded"},
    {"Callback", "host callbacks are not recorded"},
    {"GreenCtx", "green contexts are not recorded"},
    {"DevResource", "green contexts are not recorded"},
    {"DevSm", "green contexts are not recorded"},
    {"ExecutionCtx", "green contexts are not recorded"},
    {"Profiler", "a kernel may not steer the profiler"},
    {"External", "external memory and semaphores are not recorded"},
    {"Graphics", "graphics interoperation is not recorded"},
    {"ElapsedTime", "device timing is not recorded: the answer would depend on the run"},
    {"MemGetInfo", "free memory depends on the machine and is not recorded"},
    {"ChannelDesc", "textures are not recorded; read plain memory"},
    {"ExportTable", "private functions of the driver are not recorded"},
    {"Tex", "textures are not recorded; read plain memory"},
    {"Surf", "surfaces are not recorded; write plain memory"},
    {"Array", "arrays are not recorded; use plain memory"},
    {"MemCreate", "virtual memory is not recorded; use cudaMalloc"},
    {"MemMap", "virtual memory is not recorded; use cudaMalloc"},
    {"MemAddress", "virtual memory is not recorded; use cudaMalloc"},
    {"AllocationGranularity", "virtual memory is not recorded; use cudaMalloc"},
    {"WaitValue", "stream memory operations are not recorded"},
    {"WriteValue", "stream memory operations are not recorded"},
};

[[noreturn]] void refuse_name(const char* name) {
  if (ends(name, "_ptsz") || ends(name, "_ptds")) {
    ptxboard::refuse(name, "the per-thread default stream is not recorded; compile without it");
  }
  for (Reason const& one : reasons) {
    if (contains(name, one.part)) ptxboard::refuse(name, "%s", one.why);
  }
  ptxboard::refuse(name, "this call is not recorded");
}

}  // namespace

#define REFUSED_NAME(name) \
  extern "C" __attribute__((visibility("default"))) void name() { refuse_name(#name); }
#include "refused_names.inc"
#undef REFUSED_NAME

// System calls that reach past these are named by the driver's filter.
#define REFUSED_CALL(name, why) \
  extern "C" __attribute__((visibility("default"))) void name() { ptxboard::refuse(#name, why); }

REFUSED_CALL(pthread_create, "host threads are not recorded; the host part of a kernel has one thread")
REFUSED_CALL(thrd_create, "host threads are not recorded; the host part of a kernel has one thread")
REFUSED_CALL(fork, "a kernel may start no process")
REFUSED_CALL(vfork, "a kernel may start no process")
REFUSED_CALL(posix_spawn, "a kernel may start no process")
REFUSED_CALL(posix_spawnp, "a kernel may start no process")
REFUSED_CALL(system, "a kernel may start no process")
REFUSED_CALL(popen, "a kernel may start no process")
#undef REFUSED_CALL

#define REFUSED_EXIT(name)                                                                     \
  extern "C" __attribute__((visibility("default"), noreturn)) void name(int) {                 \
    ptxboard::refuse(#name, "a kernel may not end the process that runs it");                  \
  }

REFUSED_EXIT(exit)
REFUSED_EXIT(_exit)
REFUSED_EXIT(_Exit)
REFUSED_EXIT(quick_exit)
