// Prints one line a fact: "topic: name = value". The same program runs on a real GPU and against the
// recording shim; the two outputs must be equal.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

inline const char* topic = "";

inline void fact(const char* name, long long value) { std::printf("%s: %s = %lld\n", topic, name, value); }

// A runtime call: what it returned, what the last error is afterwards; the last error is then taken away.
inline void outcome(const char* name, cudaError_t returned) {
  cudaError_t const kept = cudaPeekAtLastError();
  cudaError_t const taken = cudaGetLastError();
  cudaError_t const again = cudaGetLastError();
  std::printf("%s: %s = %d, last error %d %d %d\n", topic, name, int(returned), int(kept), int(taken), int(again));
}

inline void result(const char* name, CUresult returned) {
  std::printf("%s: %s = %d, last error %d\n", topic, name, int(returned), int(cudaGetLastError()));
}

void report_launches();
void report_clusters();
void report_functions();
void report_occupancy();
void report_memory();
void report_copies();
void report_streams();
void report_devices();
void report_entry_points();
void report_tensor_maps();
void report_limits();
void report_grids();
