#include "passes.h"

namespace ptxboard {
namespace {

constexpr const char* range_name = "call";

}  // namespace

std::int32_t Passes::switch_on(Metrics& metrics, PtxboardError* error) {
  if (context_ == nullptr) return fail(PTXBOARD_OUT_OF_ORDER, "switch_on", "opened without a context", error);
  if (inside_) return fail(PTXBOARD_OUT_OF_ORDER, "switch_on", "the last pass has not ended", error);
  if (const std::int32_t status = enable(error)) return status;
  if (fresh_) {
    if (const std::int32_t status = fresh_data(metrics, error)) return status;
  }
  if (!configured_) {
    if (const std::int32_t status = set_configuration(metrics, error)) return status;
  }
  return PTXBOARD_OK;
}

std::int32_t Passes::begin(Metrics& metrics, PtxboardError* error) {
  if (const std::int32_t status = switch_on(metrics, error)) return status;
  PTXBOARD_PARAMS(CUpti_RangeProfiler_Start_Params, started);
  started.pRangeProfilerObject = profiler_;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerStart, started, error);
  inside_ = true;  // from here on an end is owed, also when the push fails

  PTXBOARD_PARAMS(CUpti_RangeProfiler_PushRange_Params, pushed);
  pushed.pRangeProfilerObject = profiler_;
  pushed.pRangeName = range_name;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerPushRange, pushed, error);
  return PTXBOARD_OK;
}

std::int32_t Passes::end(bool* complete, PtxboardError* error) {
  if (!inside_) return fail(PTXBOARD_OUT_OF_ORDER, "end_pass", "no pass has begun", error);
  inside_ = false;
  PTXBOARD_PARAMS(CUpti_RangeProfiler_PopRange_Params, popped);
  popped.pRangeProfilerObject = profiler_;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerPopRange, popped, error);

  PTXBOARD_PARAMS(CUpti_RangeProfiler_Stop_Params, stopped);
  stopped.pRangeProfilerObject = profiler_;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerStop, stopped, error);

  // After every pass, because the profiler may be switched off before the next one.
  PTXBOARD_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decoded);
  decoded.pRangeProfilerObject = profiler_;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerDecodeData, decoded, error);
  if (decoded.numOfRangeDropped != 0) {
    return fail(PTXBOARD_INCOMPLETE, "cuptiRangeProfilerDecodeData", "a range was dropped", error);
  }
  next_pass_ = stopped.passIndex;
  next_level_ = static_cast<std::uint16_t>(stopped.targetNestingLevel);
  complete_ = stopped.isAllPassSubmitted != 0;
  fresh_ = complete_;
  *complete = complete_;
  return PTXBOARD_OK;
}

std::int32_t Passes::rest(PtxboardError* error) {
  if (inside_) return fail(PTXBOARD_OUT_OF_ORDER, "rest", "the last pass has not ended", error);
  if (profiler_ == nullptr) return PTXBOARD_OK;
  PTXBOARD_PARAMS(CUpti_RangeProfiler_Disable_Params, disabled);
  disabled.pRangeProfilerObject = profiler_;
  profiler_ = nullptr;
  configured_ = false;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerDisable, disabled, error);
  return PTXBOARD_OK;
}

void Passes::close() {
  // Whatever fails here fails in a process that is about to end or to be killed; there is nobody to tell.
  if (inside_) {
    bool complete = false;
    end(&complete, nullptr);
  }
  rest(nullptr);
  if (initialised_) {
    PTXBOARD_PARAMS(CUpti_Profiler_DeInitialize_Params, ended);
    cupti_.cuptiProfilerDeInitialize(&ended);
    initialised_ = false;
  }
}

std::int32_t Passes::enable(PtxboardError* error) {
  if (profiler_ != nullptr) return PTXBOARD_OK;
  if (!initialised_) {
    PTXBOARD_PARAMS(CUpti_Profiler_Initialize_Params, begun);
    PTXBOARD_ASK(cupti_, cuptiProfilerInitialize, begun, error);
    initialised_ = true;
  }
  PTXBOARD_PARAMS(CUpti_RangeProfiler_Enable_Params, enabled);
  enabled.ctx = context_;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerEnable, enabled, error);
  profiler_ = enabled.pRangeProfilerObject;
  configured_ = false;
  return PTXBOARD_OK;
}

std::int32_t Passes::fresh_data(Metrics& metrics, PtxboardError* error) {
  PTXBOARD_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = metrics.names();
  size.numMetrics = metrics.count();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerGetCounterDataSize, size, error);
  data_.assign(size.counterDataSize, 0);

  PTXBOARD_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, made);
  made.pRangeProfilerObject = profiler_;
  made.counterDataSize = data_.size();
  made.pCounterData = data_.data();
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerCounterDataImageInitialize, made, error);
  next_pass_ = 0;
  next_level_ = 1;
  configured_ = false;
  complete_ = false;
  fresh_ = false;
  return PTXBOARD_OK;
}

std::int32_t Passes::set_configuration(const Metrics& metrics, PtxboardError* error) {
  PTXBOARD_PARAMS(CUpti_RangeProfiler_SetConfig_Params, asked);
  asked.pRangeProfilerObject = profiler_;
  asked.configSize = metrics.image().size();
  asked.pConfig = metrics.image().data();
  asked.counterDataImageSize = data_.size();
  asked.pCounterDataImage = data_.data();
  asked.range = CUPTI_UserRange;
  asked.replayMode = CUPTI_UserReplay;
  asked.maxRangesPerPass = 1;
  asked.numNestingLevels = 1;
  asked.minNestingLevel = 1;
  asked.passIndex = next_pass_;
  asked.targetNestingLevel = next_level_;
  PTXBOARD_ASK(cupti_, cuptiRangeProfilerSetConfig, asked, error);
  configured_ = true;
  return PTXBOARD_OK;
}

}  // namespace ptxboard
