// What a pointer is: device memory, pinned memory, or none of ours.
#include "api.h"
#include "ending.h"
#include "faults.h"
#include "memory.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

enum class Place { device, pinned, unknown };

Place place_of(const void* pointer) {
  if (state().tokens.find(pointer) != nullptr) return Place::device;
  return host_memory_of(pointer) != nullptr ? Place::pinned : Place::unknown;
}

template <typename Value>
CUresult give(void* into, Value value) {
  return store(into, &value, sizeof value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// One attribute of a pointer whose place is known.
CUresult attribute(const char* call, void* into, int asked, CUdeviceptr pointer, Place place) {
  switch (asked) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(into, state().context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(into, unsigned{place == Place::device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST});
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(into, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return place == Place::pinned ? give(into, pointer) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(into, false);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(into, 0);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(into, true);
    default:
      refuse(call, "pointer attribute %d depends on how the memory was allocated, which a plan does not keep", asked);
  }
}

}  // namespace

extern "C" {

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* into, const void* asked) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  auto* const pointer = const_cast<void*>(asked);
  *into = cudaPointerAttributes{};
  if (state().tokens.find(asked) != nullptr) {
    into->type = cudaMemoryTypeDevice;
    into->devicePointer = pointer;
  } else if (host_memory_of(asked) != nullptr) {
    into->type = cudaMemoryTypeHost;
    into->devicePointer = pointer;
    into->hostPointer = pointer;
  } else {
    into->type = cudaMemoryTypeUnregistered;
    into->device = cudaInvalidDeviceId;
    into->hostPointer = pointer;
  }
  return cudaSuccess;
}

CUresult cuPointerGetAttribute(void* into, CUpointer_attribute asked, CUdeviceptr pointer) {
  Place const place = place_of(reinterpret_cast<const void*>(pointer));
  if (into == nullptr || place == Place::unknown) return CUDA_ERROR_INVALID_VALUE;
  return attribute("cuPointerGetAttribute", into, static_cast<int>(asked), pointer, place);
}

// Of a pointer that is none of ours every answer is 0, as the driver's documentation says.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* asked, void** into, CUdeviceptr pointer) {
  const char* const call = "cuPointerGetAttributes";
  Place const place = place_of(reinterpret_cast<const void*>(pointer));
  for (unsigned i = 0; i < count; i++) {
    CUpointer_attribute one;
    void* to = nullptr;
    if (!fetch(&one, asked + i, sizeof one) || !fetch(&to, into + i, sizeof to)) return CUDA_ERROR_INVALID_VALUE;
    if (place == Place::unknown) {
      give(to, 0);
    } else if (attribute(call, to, static_cast<int>(one), pointer, place) != CUDA_SUCCESS) {
      give(to, CUdeviceptr{0});
    }
  }
  return CUDA_SUCCESS;
}

}  // extern "C"

#pragma GCC visibility pop
