#include "arguments.h"

#include "control.h"

namespace ptxboard {
namespace {

std::uint64_t bytes_of(const Argument& one) {
  std::uint64_t bytes = (std::uint64_t{one.type_bits} + 7) / 8;
  for (std::uint32_t i = 0; i < one.rank; i++) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(one.shape[i]), &bytes)) {
      ptxboard_fail("a tensor of the brief is too large");
    }
  }
  return bytes;
}

}  // namespace

ArgumentSets::ArgumentSets(const Brief& brief) : brief_(brief), count_(brief.arguments.size()) {
  if (count_ > argument_limit) ptxboard_fail("the brief has too many arguments");
  for (std::uint32_t set = 0; set < buffer_sets; set++) {
    for (std::uint32_t i = 0; i < count_; i++) {
      Argument const& one = brief.arguments[i];
      if (one.kind == Argument::Kind::tensor) bases_[set][i] = ptxboard_buffer(i, set, bytes_of(one));
    }
  }
}

const TVMFFIAny* ArgumentSets::fresh(std::uint32_t set) {
  for (std::uint32_t i = 0; i < count_; i++) fill(set, i);
  return values_;
}

void ArgumentSets::fill(std::uint32_t set, std::uint32_t index) {
  Argument const& one = brief_.arguments[index];
  TVMFFIAny& value = values_[index];
  value = TVMFFIAny{};
  if (one.kind == Argument::Kind::integer) {
    value.type_index = kTVMFFIInt;
    value.v_int64 = one.integer;
    return;
  }
  if (one.kind == Argument::Kind::real) {
    value.type_index = kTVMFFIFloat;
    value.v_float64 = one.real;
    return;
  }
  Tensor& tensor = tensors_[index];
  tensor = Tensor{};
  std::int64_t stride = 1;
  for (std::uint32_t i = one.rank; i > 0; i--) {
    tensor.shape[i - 1] = one.shape[i - 1];
    tensor.strides[i - 1] = stride;
    stride *= one.shape[i - 1];
  }
  tensor.tensor.data = bases_[set][index];
  tensor.tensor.device = DLDevice{kDLCUDA, 0};
  tensor.tensor.ndim = static_cast<std::int32_t>(one.rank);
  tensor.tensor.dtype = DLDataType{one.type_code, one.type_bits, 1};
  tensor.tensor.shape = tensor.shape;
  tensor.tensor.strides = tensor.strides;
  value.type_index = kTVMFFIDLTensorPtr;
  value.v_ptr = &tensor.tensor;
}

}  // namespace ptxboard
