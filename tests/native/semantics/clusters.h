// Launch attributes: clusters, cooperative, programmatic, priority and those that no plan may hold.
#pragma once

#include "kernels.h"

struct Ask {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[4]{};

  Ask(dim3 grid, dim3 block, size_t shared = 0) {
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = attributes;
  }
  cudaLaunchAttribute& add(int id) {
    cudaLaunchAttribute& one = attributes[config.numAttrs++];
    one.id = cudaLaunchAttributeID(id);
    return one;
  }
  Ask& cluster(unsigned x, unsigned y, unsigned z, int id = cudaLaunchAttributeClusterDimension) {
    auto& one = add(id);
    one.val.clusterDim.x = x;
    one.val.clusterDim.y = y;
    one.val.clusterDim.z = z;
    return *this;
  }
  Ask& number(int id, int value) {
    std::memcpy(&add(id).val, &value, sizeof value);
    return *this;
  }
};

inline cudaError_t start(const void* function, const Ask& ask) {
  float* none = nullptr;
  void* arguments[] = {&none};
  return cudaLaunchKernelExC(&ask.config, function, arguments);
}

void report_clusters() {
  topic = "cluster";
  auto* const kernel = reinterpret_cast<const void*>(plain);
  auto* const fixed = reinterpret_cast<const void*>(fixed_cluster);
  outcome("none", start(kernel, Ask(dim3(4), dim3(128))));
  outcome("2 of 4", start(kernel, Ask(dim3(4), dim3(128)).cluster(2, 1, 1)));
  outcome("3 of 4", start(kernel, Ask(dim3(4), dim3(128)).cluster(3, 1, 1)));
  outcome("0", start(kernel, Ask(dim3(4), dim3(128)).cluster(0, 1, 1)));
  outcome("0 0 0", start(kernel, Ask(dim3(4), dim3(128)).cluster(0, 0, 0)));
  outcome("8", start(kernel, Ask(dim3(8), dim3(128)).cluster(8, 1, 1)));
  outcome("2 by 2 by 2", start(kernel, Ask(dim3(8, 8, 8), dim3(128)).cluster(2, 2, 2)));
  outcome("9", start(kernel, Ask(dim3(9), dim3(128)).cluster(9, 1, 1)));
  outcome("16", start(kernel, Ask(dim3(16), dim3(128)).cluster(16, 1, 1)));
  auto* const wide = reinterpret_cast<const void*>(static_shared);
  outcome("allow non-portable", cudaFuncSetAttribute(wide, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  outcome("16 allowed", start(wide, Ask(dim3(16), dim3(128)).cluster(16, 1, 1)));
  outcome("9 allowed", start(wide, Ask(dim3(9), dim3(128)).cluster(9, 1, 1)));
  outcome("32 allowed", start(wide, Ask(dim3(32), dim3(128)).cluster(32, 1, 1)));
  outcome("fixed 2, grid 4", start(fixed, Ask(dim3(4), dim3(128))));
  outcome("fixed 2, grid 3", start(fixed, Ask(dim3(3), dim3(128))));
  outcome("fixed 2, asked 2", start(fixed, Ask(dim3(4), dim3(128)).cluster(2, 1, 1)));
  outcome("fixed 2, asked 4", start(fixed, Ask(dim3(4), dim3(128)).cluster(4, 1, 1)));
  outcome("preferred 4 with 2", start(kernel, Ask(dim3(8), dim3(128)).cluster(2, 1, 1).cluster(
                                                  4, 1, 1, cudaLaunchAttributePreferredClusterDimension)));
  outcome("preferred 3 with 2", start(kernel, Ask(dim3(12), dim3(128)).cluster(2, 1, 1).cluster(
                                                  3, 1, 1, cudaLaunchAttributePreferredClusterDimension)));
  outcome("preferred 8 of 4", start(kernel, Ask(dim3(4), dim3(128)).cluster(2, 1, 1).cluster(
                                                8, 1, 1, cudaLaunchAttributePreferredClusterDimension)));
  outcome("preferred alone", start(kernel, Ask(dim3(8), dim3(128)).cluster(
                                               4, 1, 1, cudaLaunchAttributePreferredClusterDimension)));
  outcome("twice", start(kernel, Ask(dim3(8), dim3(128)).cluster(2, 1, 1).cluster(4, 1, 1)));
  outcome("scheduling policy 1", start(kernel, Ask(dim3(4), dim3(128)).cluster(2, 1, 1).number(
                                                   cudaLaunchAttributeClusterSchedulingPolicyPreference, 1)));
  outcome("scheduling policy 3", start(kernel, Ask(dim3(4), dim3(128)).cluster(2, 1, 1).number(
                                                   cudaLaunchAttributeClusterSchedulingPolicyPreference, 3)));
  outcome("programmatic", start(kernel, Ask(dim3(4), dim3(128)).number(
                                            cudaLaunchAttributeProgrammaticStreamSerialization, 1)));
  outcome("programmatic 2", start(kernel, Ask(dim3(4), dim3(128)).number(
                                              cudaLaunchAttributeProgrammaticStreamSerialization, 2)));
  outcome("cooperative", start(kernel, Ask(dim3(4), dim3(128)).number(cudaLaunchAttributeCooperative, 1)));
  outcome("cooperative, too many blocks",
          start(kernel, Ask(dim3(132 * 16 + 1), dim3(128)).number(cudaLaunchAttributeCooperative, 1)));
  outcome("priority", start(kernel, Ask(dim3(4), dim3(128)).number(cudaLaunchAttributePriority, -1)));
  outcome("priority 1", start(kernel, Ask(dim3(4), dim3(128)).number(cudaLaunchAttributePriority, 1)));
  outcome("priority -99", start(kernel, Ask(dim3(4), dim3(128)).number(cudaLaunchAttributePriority, -99)));
  outcome("carveout 50", start(kernel, Ask(dim3(4), dim3(128)).number(
                                           cudaLaunchAttributePreferredSharedMemoryCarveout, 50)));
  outcome("carveout 101", start(kernel, Ask(dim3(4), dim3(128)).number(
                                            cudaLaunchAttributePreferredSharedMemoryCarveout, 101)));
  outcome("ignored", start(kernel, Ask(dim3(4), dim3(128)).number(cudaLaunchAttributeIgnore, 1)));
  outcome("attribute 99", start(kernel, Ask(dim3(4), dim3(128)).number(99, 1)));
  outcome("grid 0", start(kernel, Ask(dim3(0), dim3(128)).cluster(2, 1, 1)));
  outcome("shared 64 KiB", start(kernel, Ask(dim3(4), dim3(128), 64 << 10)));
  outcome("wait", cudaDeviceSynchronize());
}
