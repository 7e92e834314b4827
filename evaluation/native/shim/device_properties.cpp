// cudaGetDeviceProperties: a struct filled from the attributes that the table states.
#include <cstring>

#include "api.h"
#include "ending.h"
#include "queries.h"
#include "state.h"

namespace ptxboard {
namespace {

// Where an attribute lies in the struct. Sizes are 4 for int and 8 for size_t.
struct Place {
  int attribute;
  std::size_t offset;
  std::size_t bytes;
};

#define PLACE(field, attribute) \
  Place { attribute, offsetof(cudaDeviceProp, field), sizeof(cudaDeviceProp::field) }
#define ENTRY(field, index, attribute) \
  Place { attribute, offsetof(cudaDeviceProp, field) + index * sizeof(int), sizeof(int) }

constexpr Place places[] = {
    PLACE(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock),
    PLACE(regsPerBlock, cudaDevAttrMaxRegistersPerBlock),
    PLACE(warpSize, cudaDevAttrWarpSize),
    PLACE(memPitch, cudaDevAttrMaxPitch),
    PLACE(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock),
    ENTRY(maxThreadsDim, 0, cudaDevAttrMaxBlockDimX),
    ENTRY(maxThreadsDim, 1, cudaDevAttrMaxBlockDimY),
    ENTRY(maxThreadsDim, 2, cudaDevAttrMaxBlockDimZ),
    ENTRY(maxGridSize, 0, cudaDevAttrMaxGridDimX),
    ENTRY(maxGridSize, 1, cudaDevAttrMaxGridDimY),
    ENTRY(maxGridSize, 2, cudaDevAttrMaxGridDimZ),
    PLACE(totalConstMem, cudaDevAttrTotalConstantMemory),
    PLACE(major, cudaDevAttrComputeCapabilityMajor),
    PLACE(minor, cudaDevAttrComputeCapabilityMinor),
    PLACE(textureAlignment, cudaDevAttrTextureAlignment),
    PLACE(texturePitchAlignment, cudaDevAttrTexturePitchAlignment),
    PLACE(multiProcessorCount, cudaDevAttrMultiProcessorCount),
    PLACE(integrated, cudaDevAttrIntegrated),
    PLACE(canMapHostMemory, cudaDevAttrCanMapHostMemory),
    PLACE(surfaceAlignment, cudaDevAttrSurfaceAlignment),
    PLACE(concurrentKernels, cudaDevAttrConcurrentKernels),
    PLACE(tccDriver, cudaDevAttrTccDriver),
    PLACE(asyncEngineCount, cudaDevAttrAsyncEngineCount),
    PLACE(unifiedAddressing, cudaDevAttrUnifiedAddressing),
    PLACE(memoryBusWidth, cudaDevAttrGlobalMemoryBusWidth),
    PLACE(l2CacheSize, cudaDevAttrL2CacheSize),
    PLACE(persistingL2CacheMaxSize, cudaDevAttrMaxPersistingL2CacheSize),
    PLACE(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor),
    PLACE(streamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported),
    PLACE(globalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported),
    PLACE(localL1CacheSupported, cudaDevAttrLocalL1CacheSupported),
    PLACE(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor),
    PLACE(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor),
    PLACE(managedMemory, cudaDevAttrManagedMemory),
    PLACE(hostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported),
    PLACE(pageableMemoryAccess, cudaDevAttrPageableMemoryAccess),
    PLACE(concurrentManagedAccess, cudaDevAttrConcurrentManagedAccess),
    PLACE(computePreemptionSupported, cudaDevAttrComputePreemptionSupported),
    PLACE(canUseHostPointerForRegisteredMem, cudaDevAttrCanUseHostPointerForRegisteredMem),
    PLACE(cooperativeLaunch, cudaDevAttrCooperativeLaunch),
    PLACE(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin),
    PLACE(maxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor),
    PLACE(accessPolicyMaxWindowSize, cudaDevAttrMaxAccessPolicyWindowSize),
    PLACE(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock),
    PLACE(hostRegisterSupported, cudaDevAttrHostRegisterSupported),
    PLACE(memoryPoolsSupported, cudaDevAttrMemoryPoolsSupported),
    PLACE(clusterLaunch, cudaDevAttrClusterLaunch),
    PLACE(unifiedFunctionPointers, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS),
};

#undef PLACE
#undef ENTRY

void put(cudaDeviceProp* into, const Place& place, std::int64_t value) {
  auto* const at = reinterpret_cast<char*>(into) + place.offset;
  std::memcpy(at, &value, place.bytes);  // little endian: the low bytes of the value
}

}  // namespace
}  // namespace ptxboard

#pragma GCC visibility push(default)

using namespace ptxboard;

// What the table does not state stays zero in the struct. The plan relies on each field by itself, in the words of the
// call that asks for one of them.
extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp* into, int device) {
  if (into == nullptr) return failed(cudaErrorInvalidValue);
  if (device != 0) return failed(cudaErrorInvalidDevice);
  DeviceTable const& table = state().brief.device;
  cudaDeviceProp found{};
  std::size_t const room = sizeof found.name - 1;
  std::memcpy(found.name, table.name.data, table.name.size < room ? table.name.size : room);
  found.totalGlobalMem = table.memory_bytes;
  for (Place const& one : places) {
    if (table.knows(one.attribute)) put(&found, one, table.values[one.attribute]);
  }
  *into = found;
  if (table.name.size != 0) Query("cuDeviceGetName").ask(device).answer(table.name);
  if (table.memory_bytes != 0) {
    Query("cuDeviceTotalMem").ask(device).answer(static_cast<std::int64_t>(table.memory_bytes));
  }
  for (Place const& one : places) {
    if (!table.knows(one.attribute)) continue;
    Query("cudaDeviceGetAttribute").ask(one.attribute).ask(device).answer(table.values[one.attribute]);
  }
  return cudaSuccess;
}

#pragma GCC visibility pop
