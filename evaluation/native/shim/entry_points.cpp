// Driver functions by name: the answer is one of the shim's own functions, or "not found", also for a function that is
// not recorded: host code that can do without it may.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "api.h"
#include "control.h"
#include "ending.h"
#include "faults.h"
#include "journal.h"
#include "libc.h"
#include "state.h"

namespace ptxboard {
namespace {

constexpr std::size_t name_room = 128;

// Recorded driver functions: name, the symbol that the headers of CUDA 13.0 mean by it, and the first version with it.
struct Entry {
  const char* name;
  const char* symbol;
  int since;
};

constexpr Entry entries[] = {
#define ENTRY(name, symbol, since) {name, symbol, since},
#include "driver_entries.inc"
#undef ENTRY
};

enum class Found { yes, no, too_old };

Found look_up(const char* call, const char* asked, int version, bool per_thread, void** into) {
  char name[name_room];
  *into = nullptr;
  if (!ptxboard_text(asked, name, sizeof name)) refuse(call, "the name asked for cannot be read");
  if (per_thread) refuse(call, "%s for the per-thread default stream, which is not recorded", name);
  Found found = Found::no;
  for (Entry const& one : entries) {
    if (std::strcmp(one.name, name) != 0) continue;
    found = version < one.since ? Found::too_old : Found::yes;
    if (found == Found::yes) *into = real_dlsym(RTLD_DEFAULT, one.symbol);
  }
  Line("entry").text("name", name).flag("found", *into != nullptr);
  return found;
}

cudaError_t runtime_entry(const char* call, const char* name, void** into, int version, unsigned long long flags,
                          cudaDriverEntryPointQueryResult* status) {
  if (name == nullptr || into == nullptr) return failed(cudaErrorInvalidValue);
  Found const found = look_up(call, name, version, (flags & cudaEnablePerThreadDefaultStream) != 0, into);
  auto const answer = found == Found::yes       ? cudaDriverEntryPointSuccess
                      : found == Found::too_old ? cudaDriverEntryPointVersionNotSufficent
                                                : cudaDriverEntryPointSymbolNotFound;
  if (status != nullptr) *status = answer;
  return cudaSuccess;
}

}  // namespace
}  // namespace ptxboard

#pragma GCC visibility push(default)

using namespace ptxboard;

extern "C" {

cudaError_t cudaGetDriverEntryPoint(const char* name, void** into, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return runtime_entry("cudaGetDriverEntryPoint", name, into, CUDART_VERSION, flags, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** into, unsigned version, unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return runtime_entry("cudaGetDriverEntryPointByVersion", name, into, static_cast<int>(version), flags, status);
}

CUresult cuGetProcAddress(const char* name, void** into, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
  if (name == nullptr || into == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool const per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  Found const found = look_up("cuGetProcAddress", name, version, per_thread, into);
  if (status != nullptr) {
    *status = found == Found::yes       ? CU_GET_PROC_ADDRESS_SUCCESS
              : found == Found::too_old ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return CUDA_SUCCESS;  // as measured: the status says whether there is such a function
}

}  // extern "C"

#pragma GCC visibility pop
