// The functions of libcupti that are used here, looked up in a library that is named at run time.
#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include "counters.h"

namespace ptxboard {

// One line a function: its name in the library is also its name here.
#define PTXBOARD_CUPTI_FUNCTIONS(each)           \
  each(cuptiGetResultString)                     \
  each(cuptiDeviceGetChipName)                   \
  each(cuptiProfilerInitialize)                  \
  each(cuptiProfilerDeInitialize)                \
  each(cuptiProfilerHostInitialize)              \
  each(cuptiProfilerHostDeinitialize)            \
  each(cuptiProfilerHostConfigAddMetrics)        \
  each(cuptiProfilerHostGetConfigImageSize)      \
  each(cuptiProfilerHostGetConfigImage)          \
  each(cuptiProfilerHostGetNumOfPasses)          \
  each(cuptiProfilerHostEvaluateToGpuValues)     \
  each(cuptiRangeProfilerEnable)                 \
  each(cuptiRangeProfilerDisable)                \
  each(cuptiRangeProfilerSetConfig)              \
  each(cuptiRangeProfilerStart)                  \
  each(cuptiRangeProfilerStop)                   \
  each(cuptiRangeProfilerPushRange)              \
  each(cuptiRangeProfilerPopRange)               \
  each(cuptiRangeProfilerDecodeData)             \
  each(cuptiRangeProfilerGetCounterDataSize)     \
  each(cuptiRangeProfilerCounterDataImageInitialize) \
  each(cuptiRangeProfilerGetCounterDataInfo)

struct Cupti {
#define PTXBOARD_MEMBER(name) decltype(&::name) name = nullptr;
  PTXBOARD_CUPTI_FUNCTIONS(PTXBOARD_MEMBER)
#undef PTXBOARD_MEMBER

  // The library stays loaded for the life of the process: CUPTI keeps threads and driver callbacks of its own.
  std::int32_t load(const char* library, PtxboardError* error);
};

// Fills `error` and returns `status`.
std::int32_t fail(std::int32_t status, const char* call, const char* words, PtxboardError* error);

// Turns a result of CUPTI into a status.
std::int32_t check(const Cupti& cupti, CUptiResult result, const char* call, PtxboardError* error);


}  // namespace ptxboard

// Declares the parameters of a call, zeroed, with the size that every call wants first.
#define PTXBOARD_PARAMS(type, name) \
  type name = {};                   \
  name.structSize = type##_STRUCT_SIZE

// Returns from the function that stands around it unless CUPTI was content.
#define PTXBOARD_ASK(cupti, function, parameters, error)                            \
  do {                                                                              \
    const CUptiResult ptxboard_result = (cupti).function(&(parameters));            \
    const std::int32_t ptxboard_status =                                            \
        ::ptxboard::check((cupti), ptxboard_result, #function, (error));            \
    if (ptxboard_status != PTXBOARD_OK) return ptxboard_status;                     \
  } while (false)
