// Hardware counters of one CUDA context through CUPTI's range profiler, as a plain C interface.
//
// A *reading* is a set of metrics over several *passes*: one pass is one call of the kernel, and the caller makes
// every pass with a call of its own (user ranges, user replay), so nothing is saved, restored or launched here.
// Between passes the profiler can be switched off completely (ptxboard_counters_rest).
//
// Not for several threads at once. Every function but close returns a Status and, unless it is OK, fills `error`.
#pragma once

#include <cstddef>
#include <cstdint>

#define PTXBOARD_EXPORTED __attribute__((visibility("default")))

extern "C" {

enum PtxboardStatus : std::int32_t {
  PTXBOARD_OK = 0,
  PTXBOARD_NO_LIBRARY = 1,     // libcupti cannot be loaded or lacks a function
  PTXBOARD_CUPTI = 2,          // CUPTI refused; `code` is its CUptiResult
  PTXBOARD_OUT_OF_ORDER = 3,   // the caller's mistake, for example an end without a begin
  PTXBOARD_INCOMPLETE = 4,     // a range was dropped, or a value is missing or no count
};

struct PtxboardError {
  std::int32_t code;  // CUptiResult, or 0
  char call[64];      // the function that failed
  char words[192];    // what it said
};

struct PtxboardCounters;

// Loads libcupti from `library`. `chip` names a GPU as CUPTI does ("GH100"); null asks for the chip of `device`, CUDA's
// index. `context` is the CUcontext to count in, current where the passes are made; it may be null as long as no pass
// is begun, so metrics can be looked up on a machine without a GPU.
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_open(const char* library, const char* chip, std::uint64_t device,
                                                      void* context, PtxboardCounters** made, PtxboardError* error);

// Chooses `count` metrics for the following readings and says how many passes one takes. Once for each handle.
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_configure(PtxboardCounters* counters, const char* const* names,
                                                           std::size_t count, std::size_t* passes,
                                                           PtxboardError* error);

// Makes all ready for the next pass, with nothing counted yet: switches on, and chooses where the counters go. A pass
// that begins does so itself where it is missing; before that it shows whether the device may be counted on at all.
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_switch_on(PtxboardCounters* counters, PtxboardError* error);

// Around one call: everything that the call launched must have ended before the pass does. `complete` is 1 when
// the reading has all its passes; the next begin then starts a new reading.
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_begin_pass(PtxboardCounters* counters, PtxboardError* error);
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_end_pass(PtxboardCounters* counters, std::int32_t* complete,
                                                          PtxboardError* error);

// Switches the profiler off until the next begin; allowed at any time outside a pass, also in the middle of a reading.
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_rest(PtxboardCounters* counters, PtxboardError* error);

// The values of the last complete reading, in the order of the names: finite and not negative.
PTXBOARD_EXPORTED std::int32_t ptxboard_counters_values(PtxboardCounters* counters, double* values,
                                                        std::size_t count, PtxboardError* error);

// Switches off and forgets everything. Null is allowed.
PTXBOARD_EXPORTED void ptxboard_counters_close(PtxboardCounters* counters);
}
