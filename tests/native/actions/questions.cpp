// Every question that the shim answers from the device table, before and after attributes were set.
#include <initializer_list>

#include "action.h"

namespace {

const void* const kernel = reinterpret_cast<const void*>(scale);

void ask_of_clusters(unsigned size, unsigned threads, size_t shared) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = size;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = 1;
  int value = 0;
  cudaOccupancyMaxActiveClusters(&value, kernel, &config);
  cudaOccupancyMaxPotentialClusterSize(&value, kernel, &config);
}

void ask_of_kernel() {
  cudaFuncAttributes found{};
  cudaFuncGetAttributes(&found, kernel);
  cudaFunction_t handle = nullptr;
  cudaGetFuncBySymbol(&handle, kernel);
  int value = 0;
  for (int number = -1; number <= 17; number++) cuFuncGetAttribute(&value, CUfunction_attribute(number), handle);
  for (int threads : {-1, 0, 1, 33, 128, 384, 1024, 1025, 1 << 30}) {
    for (size_t shared : {size_t{0}, size_t{1024}, size_t{20000}, size_t{49153}, size_t{100} << 10, size_t{227} << 10,
                          size_t{1} << 40, ~size_t{0}}) {
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, kernel, threads, shared);
    }
    size_t room = 0;
    for (int blocks : {0, 1, 2, 3, 7, 16, 33}) cudaOccupancyAvailableDynamicSMemPerBlock(&room, kernel, blocks, threads);
  }
  for (unsigned size = 0; size <= 17; size++) {
    for (unsigned threads : {0u, 32u, 128u, 1025u}) {
      ask_of_clusters(size, threads, 0);
      ask_of_clusters(size, threads, 100 << 10);
    }
  }
}

}  // namespace

ACTION(device_questions) {
  int value = 0, other = 0;
  size_t bytes = 0;
  char name[64];
  cudaDeviceProp found{};
  cudaGetDeviceCount(&value);
  cuDeviceGetCount(&value);
  cudaDriverGetVersion(&value);
  cuDriverGetVersion(&value);
  cudaDeviceGetStreamPriorityRange(&value, &other);
  cuCtxGetStreamPriorityRange(&value, &other);
  cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize);
  cuCtxGetLimit(&bytes, CU_LIMIT_MALLOC_HEAP_SIZE);
  cuDeviceGetName(name, sizeof name, 0);
  cuDeviceTotalMem(&bytes, 0);
  cudaGetDeviceProperties(&found, 0);
  for (int number : {-1, 0, 1, 8, 13, 16, 75, 76, 81, 97, 106, 111, 120, 129, 9999}) {
    cuDeviceGetAttribute(&value, CUdevice_attribute(number), 0);
    cudaDeviceGetAttribute(&value, cudaDeviceAttr(number), 0);
    cudaDeviceGetAttribute(&value, cudaDeviceAttr(number), 1);
  }
}

ACTION(kernel_questions) {
  auto set = [](int attribute, int value) { cudaFuncSetAttribute(kernel, cudaFuncAttribute(attribute), value); };
  ask_of_kernel();
  set(cudaFuncAttributeMaxDynamicSharedMemorySize, 1000);
  set(cudaFuncAttributePreferredSharedMemoryCarveout, 25);
  ask_of_kernel();
  set(cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
  set(cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10);  // refused
  set(cudaFuncAttributePreferredSharedMemoryCarveout, -1);
  set(cudaFuncAttributePreferredSharedMemoryCarveout, 101);  // refused
  set(cudaFuncAttributeNonPortableClusterSizeAllowed, 2);
  set(cudaFuncAttributeClusterSchedulingPolicyPreference, 2);
  ask_of_kernel();
  set(cudaFuncAttributeRequiredClusterWidth, 4);
  ask_of_kernel();
  set(cudaFuncAttributeRequiredClusterHeight, 1);
  set(cudaFuncAttributeRequiredClusterDepth, 1);
  ask_of_kernel();
}
