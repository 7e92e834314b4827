// Host code for the tests of the recording shim: many named actions in one library, each a few lines. The test names the
// action by the hash in the last argument of `run`. Written by hand what nvcc would write: two kernels and two variables.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdint>
#include <cstring>

struct Call {
  const TVMFFIAny* arguments;
  int number;  // from 1

  void* tensor(int index) const { return static_cast<DLTensor*>(arguments[index].v_ptr)->data; }
  const DLTensor& layout(int index) const { return *static_cast<DLTensor*>(arguments[index].v_ptr); }
  cudaStream_t stream() const { return static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, 0)); }
};

struct Action {
  const char* name;
  void (*run)(const Call&);
  Action* next;
  static inline Action* first = nullptr;

  Action(const char* called, void (*does)(const Call&)) : name(called), run(does), next(first) { first = this; }
};

#define ACTION(name)                                     \
  static void action_##name(const Call& call);           \
  static Action named_##name(#name, action_##name);      \
  static void action_##name([[maybe_unused]] const Call& call)

// Kernel "scale" takes (pointer, pointer, int, 4 bytes nobody passes, 8-byte struct with padding); "table" takes 256 bytes.
void scale();
void table();
extern char weights[64];
extern char constants[256];

struct Padded {
  char mode;
  int count;
};

// The result of the last call of the runtime, which a test reads from the recording as the destination of a memset of
// the tensor's first bytes: value low byte, width high part. Plain, and needs no other channel.
inline void tell(const Call& call, int value) { cudaMemsetAsync(call.tensor(0), value & 0xFF, 1 + (value >> 8), call.stream()); }

inline void launch(const Call& call, dim3 grid = 1, dim3 block = 32, size_t shared = 0) {
  void* from = call.tensor(0);
  void* to = call.tensor(1);
  int count = 7;
  Padded padded{};
  void* values[] = {&from, &to, &count, &padded};
  cudaLaunchKernel(reinterpret_cast<const void*>(scale), grid, block, values, shared, call.stream());
}
