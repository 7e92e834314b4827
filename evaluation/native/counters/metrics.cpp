#include "metrics.h"

#include <cmath>

namespace ptxboard {

std::int32_t Metrics::open(const Cupti& cupti, const char* chip, PtxboardError* error) {
  cupti_ = &cupti;
  chip_ = chip;
  PTXBOARD_PARAMS(CUpti_Profiler_Host_Initialize_Params, asked);
  asked.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  asked.pChipName = chip_.c_str();
  PTXBOARD_ASK(cupti, cuptiProfilerHostInitialize, asked, error);
  host_ = asked.pHostObject;
  return PTXBOARD_OK;
}

std::int32_t Metrics::choose(const char* const* names, std::size_t count, PtxboardError* error) {
  // Marked as chosen at once: after a failure the host object may hold some of the metrics, so it is not used again.
  names_.assign(names, names + count);
  for (const std::string& name : names_) pointers_.push_back(name.c_str());

  PTXBOARD_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, added);
  added.pHostObject = host_;
  added.ppMetricNames = pointers_.data();
  added.numMetrics = pointers_.size();
  PTXBOARD_ASK(*cupti_, cuptiProfilerHostConfigAddMetrics, added, error);

  PTXBOARD_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_;
  PTXBOARD_ASK(*cupti_, cuptiProfilerHostGetConfigImageSize, size, error);
  image_.assign(size.configImageSize, 0);

  PTXBOARD_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host_;
  image.configImageSize = image_.size();
  image.pConfigImage = image_.data();
  PTXBOARD_ASK(*cupti_, cuptiProfilerHostGetConfigImage, image, error);

  PTXBOARD_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = image_.size();
  passes.pConfigImage = image_.data();
  PTXBOARD_ASK(*cupti_, cuptiProfilerHostGetNumOfPasses, passes, error);
  passes_ = passes.numOfPasses;
  if (passes_ == 0) return fail(PTXBOARD_INCOMPLETE, "cuptiProfilerHostGetNumOfPasses", "no pass at all", error);
  return PTXBOARD_OK;
}

std::int32_t Metrics::evaluate(const std::vector<std::uint8_t>& image, double* values, PtxboardError* error) {
  PTXBOARD_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, ranges);
  ranges.pCounterDataImage = image.data();
  ranges.counterDataImageSize = image.size();
  PTXBOARD_ASK(*cupti_, cuptiRangeProfilerGetCounterDataInfo, ranges, error);
  if (ranges.numTotalRanges != 1) {
    return fail(PTXBOARD_INCOMPLETE, "cuptiRangeProfilerGetCounterDataInfo", "not exactly one range", error);
  }
  for (std::size_t index = 0; index < count(); ++index) values[index] = std::nan("");

  PTXBOARD_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, asked);
  asked.pHostObject = host_;
  asked.pCounterDataImage = image.data();
  asked.counterDataImageSize = image.size();
  asked.rangeIndex = 0;
  asked.ppMetricNames = pointers_.data();
  asked.numMetrics = pointers_.size();
  asked.pMetricValues = values;
  PTXBOARD_ASK(*cupti_, cuptiProfilerHostEvaluateToGpuValues, asked, error);
  for (std::size_t index = 0; index < count(); ++index) {
    if (!std::isfinite(values[index]) || values[index] < 0) {
      return fail(PTXBOARD_INCOMPLETE, "cuptiProfilerHostEvaluateToGpuValues", pointers_[index], error);
    }
  }
  return PTXBOARD_OK;
}

void Metrics::close() {
  if (host_ == nullptr) return;
  PTXBOARD_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, ended);
  ended.pHostObject = host_;
  cupti_->cuptiProfilerHostDeinitialize(&ended);
  host_ = nullptr;
}

}  // namespace ptxboard
