// Driver functions asked for by name.
#pragma once

#include "report.h"

inline void* asked(const char* name, const char* function, unsigned version) {
  void* found = reinterpret_cast<void*>(1);
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointQueryResult(9);
  outcome(name, cudaGetDriverEntryPointByVersion(function, &found, version, cudaEnableDefault, &status));
  fact("  found", found != nullptr && found != reinterpret_cast<void*>(1));
  fact("  status", status);
  return found;
}

void report_entry_points() {
  topic = "entry";
  void* const encode = asked("encode", "cuTensorMapEncodeTiled", 12000);
  asked("no such function", "cuNoSuchFunction", 12000);
  asked("too old a version", "cuTensorMapEncodeTiled", 11000);
  asked("empty", "", 12000);
  asked("allocate", "cuMemAlloc", 12000);
  void* by_address = nullptr;
  CUdriverProcAddressQueryResult how{};
  result("proc address", cuGetProcAddress("cuTensorMapEncodeTiled", &by_address, 12000, 0, &how));
  fact("  same", by_address == encode);
  fact("  status", how);
  result("proc address of none", cuGetProcAddress("cuNoSuchFunction", &by_address, 12000, 0, &how));
  fact("  is null", by_address == nullptr);
  fact("  status", how);
  result("proc address of none, no status", cuGetProcAddress("cuNoSuchFunction", &by_address, 12000, 0, nullptr));
}
