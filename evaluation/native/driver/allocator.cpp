#include "allocator.h"

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdlib>

#include "control.h"

namespace ptxboard {
namespace {

constexpr std::int32_t rank_limit = 32;

// One tensor with room for its shape and strides; the author's reference counting decides how long it lives.
struct Held {
  DLManagedTensorVersioned managed;
  std::int64_t shape[rank_limit];
  std::int64_t strides[rank_limit];
};

void give_back(DLManagedTensorVersioned* managed) {
  ptxboard_release(managed->dl_tensor.data);
  std::free(managed);  // `managed` is the first member of what was allocated
}

bool size_of(const DLTensor& wanted, std::uint64_t* bytes) {
  *bytes = (std::uint64_t{wanted.dtype.bits} * wanted.dtype.lanes + 7) / 8;
  for (std::int32_t i = 0; i < wanted.ndim; i++) {
    if (wanted.shape[i] < 0) return false;
    if (__builtin_mul_overflow(*bytes, static_cast<std::uint64_t>(wanted.shape[i]), bytes)) return false;
  }
  return true;
}

using SetError = void (*)(void* context, const char* kind, const char* message);

int give(DLTensor* wanted, DLManagedTensorVersioned** into, void* context, SetError set_error) {
  std::uint64_t bytes = 0;
  if (wanted->device.device_type != kDLCUDA || wanted->device.device_id != 0) {
    set_error(context, "ValueError", "tensors of the environment are on device cuda:0 only");
    return -1;
  }
  if (wanted->ndim < 0 || wanted->ndim > rank_limit || !size_of(*wanted, &bytes)) {
    set_error(context, "ValueError", "the shape of a tensor of the environment is not possible");
    return -1;
  }
  auto* const held = static_cast<Held*>(std::calloc(1, sizeof(Held)));
  void* const base = held != nullptr ? ptxboard_allocate(bytes) : nullptr;
  if (base == nullptr) {
    std::free(held);
    set_error(context, "RuntimeError", "out of memory");
    return -1;
  }
  std::int64_t stride = 1;
  for (std::int32_t i = wanted->ndim; i > 0; i--) {
    held->shape[i - 1] = wanted->shape[i - 1];
    held->strides[i - 1] = stride;
    stride *= wanted->shape[i - 1];
  }
  held->managed.version = DLPackVersion{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  held->managed.deleter = give_back;
  held->managed.dl_tensor = *wanted;
  held->managed.dl_tensor.data = base;
  held->managed.dl_tensor.shape = held->shape;
  held->managed.dl_tensor.strides = held->strides;
  held->managed.dl_tensor.byte_offset = 0;
  *into = &held->managed;
  return 0;
}

}  // namespace

void install_allocator() {
  if (TVMFFIEnvSetDLPackManagedTensorAllocator(give, 1, nullptr) != 0) ptxboard_fail("the allocator cannot be installed");
}

}  // namespace ptxboard
