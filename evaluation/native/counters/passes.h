// The half of a reading that talks to the GPU: one range a pass, in the caller's own calls.
#pragma once

#include <cstdint>
#include <vector>

#include "cupti.h"
#include "metrics.h"

namespace ptxboard {

class Passes {
 public:
  Passes(const Cupti& cupti, void* context) : cupti_(cupti), context_(static_cast<CUcontext>(context)) {}

  std::int32_t switch_on(Metrics& metrics, PtxboardError* error);
  std::int32_t begin(Metrics& metrics, PtxboardError* error);
  std::int32_t end(bool* complete, PtxboardError* error);
  std::int32_t rest(PtxboardError* error);
  void close();

  bool complete() const { return complete_; }
  bool inside() const { return inside_; }
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  std::int32_t enable(PtxboardError* error);
  std::int32_t fresh_data(Metrics& metrics, PtxboardError* error);
  std::int32_t set_configuration(const Metrics& metrics, PtxboardError* error);

  const Cupti& cupti_;
  CUcontext context_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;  // not null while the profiler is on
  std::vector<std::uint8_t> data_;
  std::size_t next_pass_ = 0;
  std::uint16_t next_level_ = 1;
  bool initialised_ = false;
  bool configured_ = false;  // since it was switched on, for this reading
  bool fresh_ = true;        // the next pass is the first of a reading
  bool inside_ = false;
  bool complete_ = false;
};

}  // namespace ptxboard
