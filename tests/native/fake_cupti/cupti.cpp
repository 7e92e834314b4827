// A double of libcupti for the counters library: it counts nothing, but keeps CUPTI's rules and answers by name.
//
// A metric `p1.v25` is taken in pass 1 and then worth 25; before that it is not a number. A metric `denied` refuses
// the start as a driver does for users without permission, `dropped` loses its range, `minus` is worth -1. A name with
// two underscores together, as all of CUPTI's, is worth 1. Every other is unknown.
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct CUpti_Profiler_Host_Object {
  std::vector<std::string> names;
};

struct CUpti_RangeProfiler_Object {
  std::string configuration;  // the names, a line each
  std::uint8_t* data = nullptr;
  std::size_t pass = 0, passes = 0;
  bool started = false, pushed = false, popped = false, stopped = false;
};

namespace {

CUpti_RangeProfiler_Object* enabled = nullptr;
int enables = 0;
bool initialised = false;

constexpr std::uint8_t ready = 0x5a;  // the first byte of an initialised image; one byte a pass follows
constexpr std::size_t image_bytes = 16;

std::size_t passes_of(const std::string& lines) {
  std::size_t most = 1;
  for (std::size_t at = 0; at != std::string::npos && at < lines.size();) {
    if (lines[at] == 'p' && lines.find(".v", at) < lines.find('\n', at)) most = std::max(most, std::strtoul(&lines[at + 1], nullptr, 10) + 1);
    at = lines.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  return most;
}

bool known(const std::string& name) {
  if (name.find("__") != name.npos) return true;
  return name == "denied" || name == "dropped" || name == "minus" || (name[0] == 'p' && name.find(".v") != name.npos);
}

}  // namespace

#define NEED(condition) \
  if (!(condition)) return CUPTI_ERROR_INVALID_OPERATION
#define SIZED(type) \
  if (given->structSize != type##_STRUCT_SIZE || given->pPriv != nullptr) return CUPTI_ERROR_INVALID_PARAMETER

extern "C" {

int fake_cupti_enables() { return enables; }
int fake_cupti_is_on() { return enabled != nullptr; }

CUptiResult cuptiGetResultString(CUptiResult result, const char** words) {
  *words = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "no privileges" : "some error";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* given) {
  SIZED(CUpti_Device_GetChipName_Params);
  NEED(initialised);  // libcupti 13.0 reads through a null pointer then
  if (given->deviceIndex > 0) return CUPTI_ERROR_INVALID_DEVICE;
  given->pChipName = "FAKE100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* given) {
  SIZED(CUpti_Profiler_Initialize_Params);
  initialised = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params* given) {
  SIZED(CUpti_Profiler_DeInitialize_Params);
  NEED(enabled == nullptr);
  initialised = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* given) {
  SIZED(CUpti_Profiler_Host_Initialize_Params);
  if (std::strcmp(given->pChipName, "FAKE100") != 0) return CUPTI_ERROR_INVALID_PARAMETER;
  given->pHostObject = new CUpti_Profiler_Host_Object;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* given) {
  delete given->pHostObject;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* given) {
  SIZED(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  for (std::size_t i = 0; i < given->numMetrics; ++i) {
    if (!known(given->ppMetricNames[i])) return CUPTI_ERROR_INVALID_METRIC_NAME;
    given->pHostObject->names.emplace_back(given->ppMetricNames[i]);
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* given) {
  SIZED(CUpti_Profiler_Host_GetConfigImageSize_Params);
  given->configImageSize = 0;
  for (const std::string& name : given->pHostObject->names) given->configImageSize += name.size() + 1;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* given) {
  SIZED(CUpti_Profiler_Host_GetConfigImage_Params);
  std::string lines;
  for (const std::string& name : given->pHostObject->names) lines += name + "\n";
  if (given->configImageSize != lines.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  std::memcpy(given->pConfigImage, lines.data(), lines.size());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* given) {
  SIZED(CUpti_Profiler_Host_GetNumOfPasses_Params);
  given->numOfPasses = passes_of(std::string(reinterpret_cast<char*>(given->pConfigImage), given->configImageSize));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* given) {
  SIZED(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  for (std::size_t i = 0; i < given->numMetrics; ++i) {
    const char* const name = given->ppMetricNames[i];
    char* rest = nullptr;
    given->pMetricValues[i] = std::strstr(name, "__") != nullptr ? 1 : -1;
    if (name[0] != 'p') continue;
    const std::size_t pass = std::strtoul(name + 1, &rest, 10);
    given->pMetricValues[i] = given->pCounterDataImage[1 + pass] == 1 ? std::atof(rest + 2) : std::nan("");
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* given) {
  SIZED(CUpti_RangeProfiler_Enable_Params);
  NEED(initialised && enabled == nullptr && given->ctx != nullptr);
  enabled = given->pRangeProfilerObject = new CUpti_RangeProfiler_Object;
  ++enables;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* given) {
  SIZED(CUpti_RangeProfiler_Disable_Params);
  NEED(given->pRangeProfilerObject == enabled && enabled != nullptr);
  delete enabled;
  enabled = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* given) {
  SIZED(CUpti_RangeProfiler_GetCounterDataSize_Params);
  NEED(given->pRangeProfilerObject == enabled && given->maxNumRangeTreeNodes >= given->maxNumOfRanges);
  given->counterDataSize = image_bytes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params* given) {
  SIZED(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  NEED(given->pRangeProfilerObject == enabled && given->counterDataSize == image_bytes);
  std::memset(given->pCounterData, 0, image_bytes);
  given->pCounterData[0] = ready;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* given) {
  SIZED(CUpti_RangeProfiler_SetConfig_Params);
  NEED(given->pRangeProfilerObject == enabled && given->pCounterDataImage[0] == ready);
  NEED(given->range == CUPTI_UserRange && given->replayMode == CUPTI_UserReplay && given->maxRangesPerPass == 1);
  NEED(given->numNestingLevels == 1 && given->minNestingLevel == 1 && given->targetNestingLevel == 1);
  enabled->configuration.assign(reinterpret_cast<const char*>(given->pConfig), given->configSize);
  enabled->data = given->pCounterDataImage;
  enabled->pass = given->passIndex;
  enabled->passes = passes_of(enabled->configuration);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* given) {
  SIZED(CUpti_RangeProfiler_Start_Params);
  NEED(given->pRangeProfilerObject == enabled && enabled->data != nullptr && !enabled->started);
  if (enabled->configuration.find("denied") != std::string::npos) return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  enabled->started = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* given) {
  SIZED(CUpti_RangeProfiler_PushRange_Params);
  NEED(given->pRangeProfilerObject == enabled && enabled->started && !enabled->pushed && given->pRangeName[0] != 0);
  enabled->pushed = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* given) {
  SIZED(CUpti_RangeProfiler_PopRange_Params);
  NEED(given->pRangeProfilerObject == enabled && enabled->pushed);
  enabled->pushed = false;
  enabled->popped = true;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* given) {
  SIZED(CUpti_RangeProfiler_Stop_Params);
  NEED(given->pRangeProfilerObject == enabled && enabled->started && enabled->popped);
  enabled->started = enabled->popped = false;
  enabled->stopped = true;
  given->passIndex = enabled->pass + 1;
  given->targetNestingLevel = 1;
  given->isAllPassSubmitted = enabled->pass + 1 >= enabled->passes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* given) {
  SIZED(CUpti_RangeProfiler_DecodeData_Params);
  NEED(given->pRangeProfilerObject == enabled && enabled->stopped);
  enabled->stopped = false;
  enabled->data[1 + enabled->pass++] = 1;
  given->numOfRangeDropped = enabled->configuration.find("dropped") != std::string::npos ? 1 : 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* given) {
  SIZED(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  given->numTotalRanges = given->pCounterDataImage[0] == ready ? 1 : 0;
  return CUPTI_SUCCESS;
}
}
