#include "checks.h"

#include <algorithm>

#include "device.h"
#include "ending.h"
#include "occupancy.h"

namespace ptxboard {
namespace {

bool is_zero(const std::uint32_t size[3]) { return size[0] == 0 && size[1] == 0 && size[2] == 0; }

std::uint64_t volume(const std::uint32_t size[3]) { return std::uint64_t{size[0]} * size[1] * size[2]; }

bool divides(const std::uint32_t small[3], const std::uint32_t large[3]) {
  for (int i = 0; i < 3; i++) {
    if (small[i] == 0 || large[i] % small[i] != 0) return false;
  }
  return true;
}

bool is_block(const std::uint32_t wanted[3], const std::uint32_t given[3]) {
  return wanted[0] == given[0] && wanted[1] == given[1] && wanted[2] == given[2];
}

bool has_own_cluster(const Function& function) {
  int const* const set = function.cluster;
  return set[0] != 0 || set[1] != 0 || set[2] != 0 || !is_zero(function.facts->cluster);
}

bool has_cluster(const Launch& launch) { return has_own_cluster(*launch.function) || !is_zero(launch.cluster); }

bool shape_is_possible(const Launch& launch) {
  DeviceTable const& device = state().brief.device;
  for (std::uint32_t i = 0; i < 3; i++) {
    if (launch.grid[i] == 0 || launch.grid[i] > device.value(attribute_grid_x + i)) return false;
    if (launch.block[i] == 0 || launch.block[i] > device.value(attribute_block_x + i)) return false;
  }
  std::uint32_t const* const only = launch.function->facts->block;
  if (!is_zero(only) && !is_block(only, launch.block)) return false;
  std::uint64_t const threads = volume(launch.block);
  std::uint32_t const bound = launch.function->facts->max_threads;
  return threads <= device.value(attribute_threads_per_block) && (bound == 0 || threads <= bound);
}

cudaError_t check_cluster(const Launch& launch) {
  std::uint32_t cluster[3];
  if (cluster_of(launch, cluster) != cudaSuccess) return cudaErrorInvalidClusterSize;
  DeviceTable const& device = state().brief.device;
  std::uint32_t const most = launch.function->non_portable != 0 ? device.largest_cluster : device.portable_cluster;
  if (volume(cluster) > most || !divides(cluster, launch.grid)) return cudaErrorInvalidClusterSize;
  if (is_zero(launch.preferred)) return cudaSuccess;
  bool const fits = !is_zero(launch.cluster) && divides(cluster, launch.preferred) &&
                    divides(launch.preferred, launch.grid) && volume(launch.preferred) <= most;
  return fits ? cudaSuccess : cudaErrorInvalidClusterSize;
}

cudaError_t check_shape(const Launch& launch) {
  return shape_is_possible(launch) ? check_cluster(launch) : cudaErrorInvalidValue;
}

// Clusters count even where they are of one block each: then an SM holds eight blocks at most.
cudaError_t check_cooperative(const char* call, const Launch& launch) {
  auto const threads = static_cast<std::uint32_t>(volume(launch.block));
  std::uint32_t const held = active_blocks(*launch.function, threads, launch.shared);
  std::uint64_t room = held * state().brief.device.value(attribute_processors);
  if (has_cluster(launch)) {
    std::uint32_t cluster[3];
    cluster_of(launch, cluster);
    auto const size = static_cast<std::uint32_t>(volume(cluster));
    std::uint64_t clusters = 0;
    if (!active_clusters(size, held, &clusters)) {
      refuse(call, "cooperative with clusters: how the processors of the device share clusters is not in its table");
    }
    room = clusters * size;
  }
  return volume(launch.grid) <= room ? cudaSuccess : cudaErrorCooperativeLaunchTooLarge;
}

}  // namespace

cudaError_t cluster_of(const Launch& launch, std::uint32_t cluster[3]) {
  std::uint32_t const* const fixed = launch.function->facts->cluster;
  int const* const set = launch.function->cluster;
  bool const is_set = set[0] != 0 || set[1] != 0 || set[2] != 0;
  bool const is_asked = !is_zero(launch.cluster);
  for (int i = 0; i < 3; i++) {
    auto const own = is_set ? static_cast<std::uint32_t>(set[i]) : fixed[i];
    bool const has_own = is_set || !is_zero(fixed);
    cluster[i] = has_own ? own : is_asked ? launch.cluster[i] : 1;
    if (cluster[i] == 0 || (has_own && is_asked && own != launch.cluster[i])) return cudaErrorInvalidClusterSize;
  }
  return cudaSuccess;
}

std::uint64_t dynamic_shared_limit(const Function& function) {
  if (function.shared_was_set) return static_cast<std::uint64_t>(function.max_dynamic_shared);
  std::uint64_t const plain = state().brief.device.value(attribute_shared_per_block);
  return plain - std::min<std::uint64_t>(plain, function.facts->static_shared);
}

std::uint32_t threads_limit(const KernelFacts& facts) {
  std::uint32_t const most = threads_by_registers(facts);
  return facts.max_threads != 0 ? std::min(most, facts.max_threads) : most;
}

cudaError_t cluster_in_question(const Launch& launch, std::uint64_t* blocks) {
  *blocks = 0;
  if (!has_cluster(launch)) return cudaSuccess;
  std::uint32_t cluster[3];
  if (cluster_of(launch, cluster) != cudaSuccess || !divides(cluster, launch.grid)) return cudaErrorInvalidClusterSize;
  *blocks = volume(cluster);
  bool const fits = launch.function->non_portable != 0 || *blocks <= state().brief.device.portable_cluster;
  return fits ? cudaSuccess : cudaErrorInvalidClusterSize;
}

// In the order in which the runtime looks.
cudaError_t check_launch(const char* call, const Launch& launch) {
  if (cudaError_t const code = check_shape(launch); code != cudaSuccess) return code;
  if (launch.cooperative && check_cooperative(call, launch) != cudaSuccess) {
    return cudaErrorCooperativeLaunchTooLarge;
  }
  if (launch.shared > dynamic_shared_limit(*launch.function)) return cudaErrorInvalidValue;
  auto const threads = static_cast<std::uint32_t>(volume(launch.block));
  return threads > threads_by_registers(*launch.function->facts) ? cudaErrorLaunchOutOfResources : cudaSuccess;
}

}  // namespace ptxboard
