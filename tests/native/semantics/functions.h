// Function attributes, occupancy and what follows from both.
#pragma once

#include "launches.h"

inline void attributes_of(const char* name, const void* function) {
  cudaFuncAttributes found{};
  outcome(name, cudaFuncGetAttributes(&found, function));
  fact("  static shared", (long long)found.sharedSizeBytes);
  fact("  local", (long long)found.localSizeBytes);
  fact("  constant", (long long)found.constSizeBytes);
  fact("  PTX version", found.ptxVersion);
  fact("  threads", found.maxThreadsPerBlock);
  fact("  binary version", found.binaryVersion);
  fact("  cache mode", found.cacheModeCA);
  fact("  dynamic shared", found.maxDynamicSharedSizeBytes);
  fact("  carveout", found.preferredShmemCarveout);
  fact("  cluster must be set", found.clusterDimMustBeSet);
  fact("  cluster width", found.requiredClusterWidth);
  fact("  cluster height", found.requiredClusterHeight);
  fact("  cluster depth", found.requiredClusterDepth);
  fact("  cluster policy", found.clusterSchedulingPolicyPreference);
  fact("  non-portable", found.nonPortableClusterSizeAllowed);
}

void report_functions() {
  topic = "function";
  auto* const dynamic = reinterpret_cast<const void*>(dynamic_shared);
  auto* const fixed = reinterpret_cast<const void*>(static_shared);
  auto set = [](const void* function, int attribute, int value) {
    return cudaFuncSetAttribute(function, cudaFuncAttribute(attribute), value);
  };
  attributes_of("plain", reinterpret_cast<const void*>(plain));
  attributes_of("bounded", reinterpret_cast<const void*>(bounded));
  attributes_of("fixed cluster", reinterpret_cast<const void*>(fixed_cluster));
  attributes_of("static shared", fixed);
  attributes_of("hungry", reinterpret_cast<const void*>(hungry<100>));
  outcome("attributes of no kernel", cudaFuncGetAttributes(nullptr, dynamic));
  cudaFuncAttributes found{};
  outcome("attributes of not a kernel", cudaFuncGetAttributes(&found, reinterpret_cast<const void*>(not_a_kernel)));
  outcome("dynamic 227 KiB", set(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
  outcome("launch 227 KiB", start(dynamic, dim3(1), dim3(32), 227 << 10));
  outcome("launch 227 KiB + 1", start(dynamic, dim3(1), dim3(32), (227 << 10) + 1));
  outcome("dynamic 227 KiB + 1", set(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, (227 << 10) + 1));
  outcome("launch 227 KiB again", start(dynamic, dim3(1), dim3(32), 227 << 10));
  outcome("static and 226 KiB", set(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, 226 << 10));
  outcome("static and 226 KiB + 1", set(fixed, cudaFuncAttributeMaxDynamicSharedMemorySize, (226 << 10) + 1));
  outcome("dynamic 16 KiB", set(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 16 << 10));
  outcome("launch 16 KiB", start(dynamic, dim3(1), dim3(32), 16 << 10));
  outcome("launch 16 KiB + 1", start(dynamic, dim3(1), dim3(32), (16 << 10) + 1));
  outcome("dynamic 0", set(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  outcome("launch 1 KiB after 0", start(dynamic, dim3(1), dim3(32), 1 << 10));
  outcome("dynamic -1", set(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  attributes_of("after these", dynamic);
  outcome("carveout 100", set(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  outcome("carveout -1", set(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
  outcome("carveout -2", set(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
  outcome("carveout 101", set(dynamic, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  outcome("non-portable 2", set(dynamic, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
  outcome("policy 2", set(dynamic, cudaFuncAttributeClusterSchedulingPolicyPreference, 2));
  outcome("policy 3", set(dynamic, cudaFuncAttributeClusterSchedulingPolicyPreference, 3));
  outcome("must be set", set(dynamic, cudaFuncAttributeClusterDimMustBeSet, 1));
  outcome("width 2", set(dynamic, cudaFuncAttributeRequiredClusterWidth, 2));
  outcome("width 2 launched", start(dynamic, dim3(4), dim3(32), 0));
  outcome("width of fixed", set(reinterpret_cast<const void*>(fixed_cluster), cudaFuncAttributeRequiredClusterWidth, 4));
  outcome("attribute 99", set(dynamic, 99, 1));
  outcome("attribute 0", set(dynamic, 0, 1));
  outcome("not a kernel", set(reinterpret_cast<const void*>(not_a_kernel), cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
  outcome("cache config", cudaFuncSetCacheConfig(dynamic, cudaFuncCachePreferShared));
  outcome("cache config 9", cudaFuncSetCacheConfig(dynamic, cudaFuncCache(9)));
  auto* const other = reinterpret_cast<const void*>(not_a_kernel);
  outcome("cache config of no function", cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferShared));
  outcome("cache config of no kernel", cudaFuncSetCacheConfig(other, cudaFuncCachePreferShared));
  const char* text = nullptr;
  outcome("name", cudaFuncGetName(&text, reinterpret_cast<const void*>(bounded)));
  outcome("name of no function", cudaFuncGetName(&text, nullptr));
  outcome("name of no kernel", cudaFuncGetName(&text, other));
  outcome("name into nothing", cudaFuncGetName(nullptr, other));
  cudaFunction_t handle = nullptr;
  cudaKernel_t kernel = nullptr;
  outcome("handle of no function", cudaGetFuncBySymbol(&handle, nullptr));
  outcome("handle of no kernel", cudaGetFuncBySymbol(&handle, other));
  outcome("handle into nothing", cudaGetFuncBySymbol(nullptr, other));
  outcome("kernel of no function", cudaGetKernel(&kernel, nullptr));
  outcome("kernel of no kernel", cudaGetKernel(&kernel, other));
  outcome("kernel into nothing", cudaGetKernel(nullptr, other));
  outcome("handle by symbol", cudaGetFuncBySymbol(&handle, reinterpret_cast<const void*>(bounded)));
  result("cuFuncSetAttribute", cuFuncSetAttribute(handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 << 10));
  result("cuFuncSetAttribute too much", cuFuncSetAttribute(handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  result("cuFuncSetAttribute read-only", cuFuncSetAttribute(handle, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
  for (int attribute = 0; attribute <= 16; attribute++) {
    int value = -7;
    result("cuFuncGetAttribute", cuFuncGetAttribute(&value, CUfunction_attribute(attribute), handle));
    fact("  value", value);
  }
  float* none = nullptr;
  void* arguments[] = {&none};
  result("cuLaunchKernel", cuLaunchKernel(handle, 1, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  result("cuLaunchKernel 0", cuLaunchKernel(handle, 0, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  result("cuLaunchKernel 257", cuLaunchKernel(handle, 1, 1, 1, 257, 1, 1, 0, nullptr, arguments, nullptr));
  result("cuLaunchKernel 1025", cuLaunchKernel(handle, 1, 1, 1, 1025, 1, 1, 0, nullptr, arguments, nullptr));
  result("cuLaunchKernel shared", cuLaunchKernel(handle, 1, 1, 1, 32, 1, 1, 101 << 10, nullptr, arguments, nullptr));
  outcome("wait", cudaDeviceSynchronize());
}

inline void blocks_of(const char* name, const void* function) {
  cudaFuncAttributes found{};
  cudaFuncGetAttributes(&found, function);
  std::printf("%s: %s has %d registers\n", topic, name, found.numRegs);
  for (int threads : {0, 1, 32, 33, 64, 96, 128, 192, 224, 256, 384, 512, 640, 768, 1000, 1024, 1025}) {
    for (int shared : {0, 1, 1000, 8 << 10, 20000, 48 << 10, 60000, 100 << 10, 227 << 10, 230 << 10}) {
      int blocks = -1;
      cudaError_t const code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, shared);
      std::printf("%s: %s %d threads %d bytes = %d, %d\n", topic, name, threads, shared, int(code), blocks);
      cudaGetLastError();
    }
    size_t room = 1;
    cudaError_t const code = cudaOccupancyAvailableDynamicSMemPerBlock(&room, function, 2, threads);
    std::printf("%s: %s %d threads room for two = %d, %lld\n", topic, name, threads, int(code), (long long)room);
    cudaGetLastError();
  }
  for (int limit : {0, 64, 256}) {
    int grid = -1, block = -1;
    cudaError_t const code = cudaOccupancyMaxPotentialBlockSize(&grid, &block, function, 4096, limit);
    std::printf("%s: %s best block under %d = %d, %d, %d\n", topic, name, limit, int(code), grid, block);
  }
}

inline void clusters_at(const char* name, const void* function, unsigned grid, unsigned threads, size_t shared,
                        unsigned size) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.attrs = &attribute;
  config.numAttrs = size ? 1 : 0;
  int clusters = -1, most = -1;
  cudaError_t const code = cudaOccupancyMaxActiveClusters(&clusters, function, &config);
  cudaError_t const other = cudaOccupancyMaxPotentialClusterSize(&most, function, &config);
  std::printf("%s: %s %u by %u threads %zu bytes in %u = %d, %d clusters; %d, at most %d\n", topic, name, grid, threads,
              shared, size, int(code), clusters, int(other), most);
  cudaGetLastError();
}

void report_occupancy() {
  topic = "occupancy";
  auto* const opened = reinterpret_cast<const void*>(hungry<30>);
  cudaFuncSetAttribute(opened, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10);
  blocks_of("plain", reinterpret_cast<const void*>(plain));
  blocks_of("bounded", reinterpret_cast<const void*>(bounded));
  blocks_of("static", reinterpret_cast<const void*>(static_shared));
  blocks_of("hungry 30", opened);
  blocks_of("hungry 100", reinterpret_cast<const void*>(hungry<100>));
  blocks_of("hungry 200", reinterpret_cast<const void*>(hungry<200>));
  for (unsigned size : {1u, 2u, 3u, 4u, 8u, 16u}) {
    clusters_at("plain", reinterpret_cast<const void*>(plain), size, 128, 0, size);
    clusters_at("opened", opened, size, 128, 200 << 10, size);
    clusters_at("opened", opened, size, 384, 100 << 10, size);
    clusters_at("fixed", reinterpret_cast<const void*>(fixed_cluster), size, 128, 0, size);
  }
}

// Questions without a cluster, of blocks that no launch takes, and of clusters that no launch takes.
void report_grids() {
  topic = "grid";
  auto* const kernel = reinterpret_cast<const void*>(plain);
  auto* const limited = reinterpret_cast<const void*>(bounded);
  auto* const fixed = reinterpret_cast<const void*>(fixed_cluster);
  auto* const opened = reinterpret_cast<const void*>(static_shared);
  cudaFuncSetAttribute(opened, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  clusters_at("none", kernel, 64, 256, 0, 0);
  clusters_at("none", kernel, 7, 256, 0, 0);
  clusters_at("none", kernel, 0, 256, 0, 0);
  clusters_at("none", kernel, 64, 0, 0, 0);
  clusters_at("none", kernel, 64, 1025, 0, 0);
  clusters_at("none", kernel, 64, 256, 230 << 10, 0);
  clusters_at("none", fixed, 64, 256, 0, 0);
  clusters_at("none", fixed, 7, 256, 0, 0);
  clusters_at("none", opened, 64, 256, 0, 0);
  clusters_at("opened", opened, 64, 256, 0, 2);
  clusters_at("opened", opened, 64, 256, 0, 16);
  clusters_at("opened", opened, 64, 256, 0, 32);
  clusters_at("plain", kernel, 64, 128, 0, 1);
  clusters_at("plain", kernel, 64, 32, 0, 1);
  clusters_at("plain", kernel, 0, 128, 0, 2);
  clusters_at("plain", kernel, 64, 0, 0, 2);
  clusters_at("plain", kernel, 64, 1025, 0, 2);
  clusters_at("plain", kernel, 64, 2048, 0, 2);
  clusters_at("plain", kernel, 64, 256, 230 << 10, 2);
  clusters_at("plain", kernel, 63, 256, 0, 2);
  clusters_at("plain", kernel, 72, 256, 0, 9);
  clusters_at("bounded", limited, 64, 256, 0, 2);
  clusters_at("bounded", limited, 64, 512, 0, 2);
  clusters_at("bounded", limited, 64, 512, 0, 0);
  clusters_at("fixed", fixed, 64, 128, 0, 2);
  clusters_at("fixed", fixed, 64, 128, 0, 4);
  int value = -1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(64);
  config.blockDim = dim3(64);
  outcome("clusters of nothing", cudaOccupancyMaxActiveClusters(&value, nullptr, &config));
  outcome("clusters of no kernel", cudaOccupancyMaxActiveClusters(&value, reinterpret_cast<const void*>(not_a_kernel), &config));
  outcome("largest of nothing", cudaOccupancyMaxPotentialClusterSize(&value, nullptr, &config));
  outcome("largest of no kernel",
          cudaOccupancyMaxPotentialClusterSize(&value, reinterpret_cast<const void*>(not_a_kernel), &config));
  outcome("clusters into nothing", cudaOccupancyMaxActiveClusters(nullptr, kernel, &config));
  outcome("largest into nothing", cudaOccupancyMaxPotentialClusterSize(nullptr, kernel, &config));
}
