#include "occupancy.h"

#include <algorithm>

#include "checks.h"
#include "device.h"

namespace ptxboard {
namespace {

constexpr std::uint64_t warp_threads = 32;
constexpr std::uint64_t sub_partitions = 4;
constexpr std::uint64_t register_unit = 256;
constexpr std::uint64_t shared_unit = 128;
constexpr std::uint64_t barriers_per_sm = 64;
constexpr std::uint32_t clustered_blocks_per_sm = 8;
constexpr std::uint64_t splits_kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

std::uint64_t up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

// Registers of one warp.
std::uint64_t warp_registers(const KernelFacts& facts) { return up(facts.registers * warp_threads, register_unit); }

std::uint64_t by_registers(const KernelFacts& facts, std::uint64_t warps) {
  DeviceTable const& device = state().brief.device;
  if (facts.registers == 0) return device.value(attribute_blocks_per_sm);
  std::uint64_t const unit = warp_registers(facts);
  if (unit * up(warps, sub_partitions) > device.value(attribute_registers_per_block)) return 0;
  return device.value(attribute_registers_per_sm) / sub_partitions / unit * sub_partitions / warps;
}

std::uint64_t shared_capacity(int carveout, std::uint64_t need) {
  std::uint64_t const all = state().brief.device.value(attribute_shared_per_sm);
  if (carveout < 0) return all;
  std::uint64_t const wanted = std::max(all * static_cast<std::uint64_t>(carveout) / 100, need);
  for (std::uint64_t const split : splits_kib) {
    if (split << 10 >= wanted) return split << 10;
  }
  return all;
}

std::uint64_t by_shared(const Function& function, std::uint64_t dynamic) {
  DeviceTable const& device = state().brief.device;
  // A limit that was set below the plain one makes launches fail, but changes nothing here.
  std::uint64_t const raised = function.shared_was_set ? static_cast<std::uint64_t>(function.max_dynamic_shared) : 0;
  std::uint64_t const asked = function.facts->static_shared + dynamic;
  if (asked > device.value(attribute_shared_per_block) && asked > function.facts->static_shared + raised) return 0;
  std::uint64_t const need = up(asked + device.value(attribute_shared_reserved), shared_unit);
  if (need == 0) return state().brief.device.value(attribute_blocks_per_sm);
  return shared_capacity(function.carveout, need) / need;
}

}  // namespace

std::uint32_t active_blocks(const Function& function, std::uint32_t threads, std::uint64_t dynamic_shared) {
  DeviceTable const& device = state().brief.device;
  if (threads == 0 || threads > device.value(attribute_threads_per_block)) return 0;
  std::uint64_t const warps = up(threads, warp_threads) / warp_threads;
  std::uint64_t const blocks = std::min({
      device.value(attribute_threads_per_sm) / warp_threads / warps,
      device.value(attribute_blocks_per_sm),
      by_registers(*function.facts, warps),
      by_shared(function, dynamic_shared),
      function.facts->barriers != 0 ? barriers_per_sm / function.facts->barriers : device.value(attribute_blocks_per_sm),
  });
  return static_cast<std::uint32_t>(blocks);
}

bool active_clusters(std::uint64_t blocks, std::uint32_t held, std::uint64_t* clusters) {
  List<ClusterGroup> const& groups = state().brief.device.cluster_groups;
  if (groups.size() == 0 || blocks == 0) return false;
  std::uint64_t const counted = std::min(held, clustered_blocks_per_sm);
  *clusters = 0;
  for (ClusterGroup const& one : groups) {
    if (one.processors >= blocks) *clusters += one.count * (one.processors * counted / blocks);
  }
  return true;
}

std::uint32_t threads_by_registers(const KernelFacts& facts) {
  DeviceTable const& device = state().brief.device;
  std::uint64_t const most = device.value(attribute_threads_per_block);
  if (facts.registers == 0) return static_cast<std::uint32_t>(most);
  std::uint64_t const unit = warp_registers(facts);
  std::uint64_t const warps = device.value(attribute_registers_per_block) / sub_partitions / unit * sub_partitions;
  return static_cast<std::uint32_t>(std::min(most, warps * warp_threads));
}

}  // namespace ptxboard
