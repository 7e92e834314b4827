// The arguments of `run` as TVM-FFI passes them: tensors are DLTensor pointers, scalars go by value.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>

#include "brief.h"

namespace ptxboard {

constexpr std::uint32_t argument_limit = 64;
constexpr std::uint32_t buffer_sets = 2;

struct Tensor {
  DLTensor tensor{};
  std::int64_t shape[Argument::rank_limit] = {};
  std::int64_t strides[Argument::rank_limit] = {};
};

class ArgumentSets {
 public:
  // Makes a token for every tensor argument of every set; writes `buffer` lines.
  explicit ArgumentSets(const Brief& brief);

  std::int32_t count() const { return static_cast<std::int32_t>(count_); }

  // Fresh values of one set: what the author writes into them in one call is gone in the next.
  const TVMFFIAny* fresh(std::uint32_t set);

 private:
  void fill(std::uint32_t set, std::uint32_t index);

  const Brief& brief_;
  std::uint32_t count_ = 0;
  void* bases_[buffer_sets][argument_limit] = {};
  Tensor tensors_[argument_limit];
  TVMFFIAny values_[argument_limit];
};

}  // namespace ptxboard
