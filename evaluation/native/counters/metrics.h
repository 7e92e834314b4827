// The half of a reading that needs no GPU: which passes a set of metrics takes, and what its raw data mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cupti.h"

namespace ptxboard {

class Metrics {
 public:
  std::int32_t open(const Cupti& cupti, const char* chip, PtxboardError* error);
  // Once. Fills image() and passes().
  std::int32_t choose(const char* const* names, std::size_t count, PtxboardError* error);
  // `image` holds exactly one range of a complete reading.
  std::int32_t evaluate(const std::vector<std::uint8_t>& image, double* values, PtxboardError* error);
  void close();

  bool chosen() const { return !pointers_.empty(); }
  const std::vector<std::uint8_t>& image() const { return image_; }
  std::size_t passes() const { return passes_; }
  const char** names() { return pointers_.data(); }
  std::size_t count() const { return pointers_.size(); }

 private:
  const Cupti* cupti_ = nullptr;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::string chip_;
  std::vector<std::string> names_;
  std::vector<const char*> pointers_;  // into names_
  std::vector<std::uint8_t> image_;
  std::size_t passes_ = 0;
};

}  // namespace ptxboard
