#include "counters.h"

#include <memory>
#include <string>

#include "cupti.h"
#include "metrics.h"
#include "passes.h"

struct PtxboardCounters {
  ptxboard::Cupti cupti;
  ptxboard::Metrics metrics;
  std::unique_ptr<ptxboard::Passes> passes;
};

namespace {

using ptxboard::fail;

constexpr std::size_t metrics_limit = 256;

// Between Initialize and DeInitialize: libcupti 13.0 reads through a null pointer for a profiler that nobody started.
std::int32_t ask_chip(const ptxboard::Cupti& cupti, std::uint64_t device, std::string* chip, PtxboardError* error) {
  PTXBOARD_PARAMS(CUpti_Profiler_Initialize_Params, begun);
  PTXBOARD_ASK(cupti, cuptiProfilerInitialize, begun, error);
  PTXBOARD_PARAMS(CUpti_Device_GetChipName_Params, asked);
  asked.deviceIndex = static_cast<std::size_t>(device);
  const CUptiResult named = cupti.cuptiDeviceGetChipName(&asked);
  if (named == CUPTI_SUCCESS) *chip = asked.pChipName;
  PTXBOARD_PARAMS(CUpti_Profiler_DeInitialize_Params, ended);
  cupti.cuptiProfilerDeInitialize(&ended);
  return ptxboard::check(cupti, named, "cuptiDeviceGetChipName", error);
}

std::int32_t open(PtxboardCounters& made, const char* library, const char* chip, std::uint64_t device,
                  PtxboardError* error) {
  if (const std::int32_t status = made.cupti.load(library, error)) return status;
  std::string name = chip == nullptr ? "" : chip;
  if (chip == nullptr) {
    if (const std::int32_t status = ask_chip(made.cupti, device, &name, error)) return status;
  }
  return made.metrics.open(made.cupti, name.c_str(), error);
}

}  // namespace

extern "C" {

std::int32_t ptxboard_counters_open(const char* library, const char* chip, std::uint64_t device, void* context,
                                    PtxboardCounters** made, PtxboardError* error) {
  auto counters = std::make_unique<PtxboardCounters>();
  if (const std::int32_t status = open(*counters, library, chip, device, error)) return status;
  counters->passes = std::make_unique<ptxboard::Passes>(counters->cupti, context);
  *made = counters.release();
  return PTXBOARD_OK;
}

std::int32_t ptxboard_counters_configure(PtxboardCounters* counters, const char* const* names, std::size_t count,
                                         std::size_t* passes, PtxboardError* error) {
  if (counters->metrics.chosen()) return fail(PTXBOARD_OUT_OF_ORDER, "configure", "metrics are chosen once", error);
  if (count == 0 || count > metrics_limit) {
    return fail(PTXBOARD_OUT_OF_ORDER, "configure", "1 to 256 metrics are allowed", error);
  }
  if (const std::int32_t status = counters->metrics.choose(names, count, error)) return status;
  *passes = counters->metrics.passes();
  return PTXBOARD_OK;
}

std::int32_t ptxboard_counters_switch_on(PtxboardCounters* counters, PtxboardError* error) {
  if (counters->metrics.passes() == 0) return fail(PTXBOARD_OUT_OF_ORDER, "switch_on", "no metrics are chosen", error);
  return counters->passes->switch_on(counters->metrics, error);
}

std::int32_t ptxboard_counters_begin_pass(PtxboardCounters* counters, PtxboardError* error) {
  if (counters->metrics.passes() == 0) return fail(PTXBOARD_OUT_OF_ORDER, "begin_pass", "no metrics are chosen", error);
  return counters->passes->begin(counters->metrics, error);
}

std::int32_t ptxboard_counters_end_pass(PtxboardCounters* counters, std::int32_t* complete, PtxboardError* error) {
  bool all = false;
  if (const std::int32_t status = counters->passes->end(&all, error)) return status;
  *complete = all ? 1 : 0;
  return PTXBOARD_OK;
}

std::int32_t ptxboard_counters_rest(PtxboardCounters* counters, PtxboardError* error) {
  return counters->passes->rest(error);
}

std::int32_t ptxboard_counters_values(PtxboardCounters* counters, double* values, std::size_t count,
                                      PtxboardError* error) {
  if (!counters->passes->complete()) {
    return fail(PTXBOARD_OUT_OF_ORDER, "values", "the reading lacks passes", error);
  }
  if (count != counters->metrics.count()) {
    return fail(PTXBOARD_OUT_OF_ORDER, "values", "not as many places as metrics", error);
  }
  return counters->metrics.evaluate(counters->passes->data(), values, error);
}

void ptxboard_counters_close(PtxboardCounters* counters) {
  if (counters == nullptr) return;
  counters->passes->close();
  counters->metrics.close();
  delete counters;
}
}
