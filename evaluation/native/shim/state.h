// Everything the shim keeps about one recording.
#pragma once

#include <cstdint>

#include "api.h"
#include "arena.h"
#include "brief.h"
#include "tokens.h"

namespace ptxboard {

// A kernel that host code registered.
struct Function {
  const void* host = nullptr;  // the address of the host stub
  Text name;
  const KernelFacts* facts = nullptr;  // null where our cubin has no such kernel
  void* handle = nullptr;              // what stands for cudaKernel_t, cudaFunction_t and CUfunction
  bool shared_was_set = false;
  int max_dynamic_shared = 0;
  int carveout = -1;
  int cluster[3] = {};
  int non_portable = 0;
  int cluster_policy = 0;
};

// A __device__ or __constant__ variable that host code registered.
struct Symbol {
  const void* host = nullptr;
  Text name;
  std::uint64_t size = 0;
  bool constant = false;
  Range* range = nullptr;
};

// Memory of the host that the runtime would have pinned. `base` is real memory.
struct HostMemory {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint32_t id = 0;
  bool live = false;
  bool registered = false;  // the author's own memory, by cudaHostRegister
};

struct Stream {
  void* handle = nullptr;
  unsigned flags = 0;
  int priority = 0;
  bool live = false;
};

struct Event {
  void* handle = nullptr;
  bool live = false;
};

struct State {
  Brief brief;
  Tokens tokens;
  List<Function> functions;
  List<Symbol> symbols;
  List<HostMemory> host_memory;
  List<Stream> streams;  // by stream number; 0 is the null stream, 1 that of TVMFFIEnvGetStream
  List<Event> events;
  std::uint32_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t host_bytes = 0;
  std::uint32_t maps = 0;
  void* context = nullptr;
  void* pool = nullptr;
  std::uint64_t pool_attributes[16] = {};
  std::uint64_t stack_limit = 1024;  // of a fresh context, as measured on an H200; so the heap's
  std::uint64_t heap_limit = 8 << 20;
  bool stack_was_set = false;
  bool heap_was_set = false;
  cudaError_t last_error = cudaSuccess;
  bool author_runs = false;  // from the load of the library on

  void begin();
  std::uint32_t add_stream(void* handle, unsigned flags, int priority);
};

State& state();

// Sets the last error as the runtime does and hands it on.
cudaError_t failed(cudaError_t code);

// The number of a stream handle, or -1 where there is no such stream. Refuses per-thread default streams.
int stream_number(const char* call, cudaStream_t stream);

// The function behind a host stub or one of our handles, or null.
Function* function_of(const void* function);

// The symbol behind the address of a host variable, or null.
Symbol* symbol_of(const void* host);

}  // namespace ptxboard
