// Occupancy questions. Codes and answers as measured on an H200 (CUDA 13.0, driver 580).
#include <algorithm>

#include "api.h"
#include "checks.h"
#include "device.h"
#include "ending.h"
#include "errors.h"
#include "faults.h"
#include "launch.h"
#include "occupancy.h"
#include "queries.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr std::uint64_t shared_unit = 128;

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

// The function, or the code that the runtime returns without one.
cudaError_t find(const void* asked, Function** function) {
  if (asked == nullptr) return cudaErrorInvalidDeviceFunction;
  *function = function_of(asked);
  if (*function == nullptr) return cudaErrorInvalidResourceHandle;
  return (*function)->facts == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

cudaError_t blocks(const char* call, int* into, const void* asked, int threads, std::size_t shared) {
  Function* function = nullptr;
  if (into == nullptr || threads <= 0) return cudaErrorInvalidValue;
  if (cudaError_t const code = find(asked, &function); code != cudaSuccess) return code;
  *into = static_cast<int>(active_blocks(*function, static_cast<std::uint32_t>(threads), shared));
  Query(call).ask(function->name).ask(threads).ask(static_cast<std::int64_t>(shared)).answer(*into);
  return cudaSuccess;
}

cudaError_t room(const char* call, std::size_t* into, const void* asked, int count, int threads) {
  Function* function = nullptr;
  if (into == nullptr || threads <= 0 || count <= 0) return cudaErrorInvalidValue;
  if (cudaError_t const code = find(asked, &function); code != cudaSuccess) return code;
  if (active_blocks(*function, static_cast<std::uint32_t>(threads), 0) < static_cast<std::uint32_t>(count)) {
    return cudaErrorInvalidValue;
  }
  // The driver does not count the bytes that it reserves for each block.
  std::uint64_t const share =
      state().brief.device.value(attribute_shared_per_sm) / static_cast<std::uint64_t>(count) / shared_unit * shared_unit;
  std::uint64_t const fixed = function->facts->static_shared;
  *into = std::min(share > fixed ? share - fixed : 0, dynamic_shared_limit(*function));
  Query(call).ask(function->name).ask(count).ask(threads).answer(static_cast<std::int64_t>(*into));
  return cudaSuccess;
}

// A launch as an occupancy question describes it. Whether its block can be launched nobody asks.
struct Question {
  Launch launch;
  std::uint64_t cluster = 0;  // blocks; 0 without a cluster
  std::uint32_t threads = 0;  // of a block, at most 2^31 - 1

  std::uint32_t held() const { return active_blocks(*launch.function, threads, launch.shared); }
};

bool is_size(const std::uint32_t grid[3], const std::uint32_t block[3]) {
  for (std::uint32_t axis = 0; axis < 3; axis++) {
    if (block[axis] == 0 || grid[axis] == 0) return false;
    if (grid[axis] > state().brief.device.value(attribute_grid_x + axis)) return false;
  }
  return true;
}

std::uint32_t threads_of(const std::uint32_t block[3]) {
  std::uint64_t count = 1;
  for (int axis = 0; axis < 3; axis++) count = std::min<std::uint64_t>(count * block[axis], INT32_MAX);
  return static_cast<std::uint32_t>(count);
}

cudaError_t describe(const char* call, const cudaLaunchConfig_t* config, const void* asked, Question* question) {
  Launch& launch = question->launch;
  cudaLaunchConfig_t kept;
  if (!fetch(&kept, config, sizeof kept)) return cudaErrorInvalidValue;
  if (cudaError_t const code = find(asked, &launch.function); code != cudaSuccess) return code;
  set_size(launch.grid, kept.gridDim);
  set_size(launch.block, kept.blockDim);
  launch.shared = kept.dynamicSmemBytes;
  if (cudaError_t const code = take_attributes(call, kept.attrs, kept.numAttrs, &launch); code != cudaSuccess) return code;
  if (!is_size(launch.grid, launch.block)) return cudaErrorInvalidValue;
  question->threads = threads_of(launch.block);
  return cluster_in_question(launch, &question->cluster);
}

void write(const char* call, const Question& question, std::uint64_t cluster, std::int64_t answer) {
  Query query(call);
  query.ask(question.launch.function->name).ask(std::int64_t{question.threads});
  query.ask(static_cast<std::int64_t>(question.launch.shared)).ask(static_cast<std::int64_t>(cluster)).answer(answer);
}

cudaError_t clusters(const char* call, int* into, const void* asked, const cudaLaunchConfig_t* config) {
  Question question;
  if (into == nullptr) return cudaErrorInvalidValue;
  if (cudaError_t const code = describe(call, config, asked, &question); code != cudaSuccess) return code;
  std::uint64_t count = 0;
  if (question.cluster != 0 && !active_clusters(question.cluster, question.held(), &count)) {
    refuse(call, "how the processors of the device share clusters is not in its table");
  }
  *into = static_cast<int>(count);
  write(call, question, question.cluster, *into);
  return cudaSuccess;
}

// The largest cluster that the function may have; that of the question is not looked at.
cudaError_t largest_cluster(const char* call, int* into, const void* asked, const cudaLaunchConfig_t* config) {
  Question question;
  if (into == nullptr) return cudaErrorInvalidValue;
  if (cudaError_t const code = describe(call, config, asked, &question); code != cudaSuccess) return code;
  DeviceTable const& device = state().brief.device;
  bool const is_wide = question.launch.function->non_portable != 0;
  *into = question.held() == 0 ? 0 : static_cast<int>(is_wide ? device.largest_cluster : device.portable_cluster);
  write(call, question, 0, *into);
  return cudaSuccess;
}

// Both APIs lay out a launch alike, but not in the same order of fields.
struct Translated {
  cudaLaunchConfig_t config{};
  bool valid = false;

  explicit Translated(const CUlaunchConfig* from) {
    CUlaunchConfig asked;
    if (!fetch(&asked, from, sizeof asked)) return;
    config.gridDim = dim3{asked.gridDimX, asked.gridDimY, asked.gridDimZ};
    config.blockDim = dim3{asked.blockDimX, asked.blockDimY, asked.blockDimZ};
    config.dynamicSmemBytes = asked.sharedMemBytes;
    config.stream = asked.hStream;
    config.attrs = reinterpret_cast<cudaLaunchAttribute*>(asked.attrs);
    config.numAttrs = asked.numAttrs;
    valid = true;
  }
  const cudaLaunchConfig_t* get() const { return valid ? &config : nullptr; }
};

}  // namespace

extern "C" {

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* into, const void* function, int threads,
                                                          std::size_t shared) {
  return report(blocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", into, function, threads, shared));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* into, const void* function, int threads,
                                                                   std::size_t shared, unsigned) {
  return report(blocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", into, function, threads, shared));
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* into, const void* function, int count, int threads) {
  return report(room("cudaOccupancyAvailableDynamicSMemPerBlock", into, function, count, threads));
}

cudaError_t cudaOccupancyMaxActiveClusters(int* into, const void* function, const cudaLaunchConfig_t* config) {
  return report(clusters("cudaOccupancyMaxActiveClusters", into, function, config));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* into, const void* function, const cudaLaunchConfig_t* config) {
  return report(largest_cluster("cudaOccupancyMaxPotentialClusterSize", into, function, config));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* into, CUfunction function, int threads, std::size_t shared) {
  return driver_code(blocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", into, function, threads, shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* into, CUfunction function, int threads,
                                                              std::size_t shared, unsigned) {
  return driver_code(blocks("cudaOccupancyMaxActiveBlocksPerMultiprocessor", into, function, threads, shared));
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* into, CUfunction function, int count, int threads) {
  return driver_code(room("cudaOccupancyAvailableDynamicSMemPerBlock", into, function, count, threads));
}

CUresult cuOccupancyMaxActiveClusters(int* into, CUfunction function, const CUlaunchConfig* config) {
  return driver_code(clusters("cudaOccupancyMaxActiveClusters", into, function, Translated(config).get()));
}

CUresult cuOccupancyMaxPotentialClusterSize(int* into, CUfunction function, const CUlaunchConfig* config) {
  return driver_code(largest_cluster("cudaOccupancyMaxPotentialClusterSize", into, function, Translated(config).get()));
}

}  // extern "C"

#pragma GCC visibility pop
