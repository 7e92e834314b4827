#include "launch.h"

#include <cstring>

#include "ending.h"
#include "faults.h"
#include "journal.h"

namespace ptxboard {
namespace {

constexpr std::size_t parameter_limit = 32768;  // more than any kernel may have

unsigned char parameter_block[parameter_limit];

// Fills the block by the places of the cubin; what no parameter covers stays zero.
bool gather(const KernelFacts& facts, const Arguments& from) {
  if (facts.parameter_bytes > parameter_limit) return false;
  std::memset(parameter_block, 0, facts.parameter_bytes);
  for (std::uint32_t i = 0; i < facts.parameters.size(); i++) {
    Parameter const& one = facts.parameters[i];
    const void* value = nullptr;
    if (from.block != nullptr) {
      if (std::size_t{one.offset} + one.size > from.block_bytes) return false;
      value = static_cast<const char*>(from.block) + one.offset;
    } else if (from.values == nullptr || !fetch(&value, from.values + i, sizeof value)) {
      return false;
    }
    if (!fetch(parameter_block + one.offset, value, one.size)) return false;
  }
  return true;
}

void write_attribute(Line& line, int id, const std::uint32_t* values, std::size_t count) {
  line.object_open().number("id", static_cast<std::uint64_t>(id)).numbers("value", values, count).object_close();
}

void write_launch(const Launch& launch, int stream) {
  KernelFacts const& facts = *launch.function->facts;
  journal_need(std::uint64_t{facts.parameter_bytes} * 2 + 32768);
  Line line("launch");
  line.text("function", launch.function->name).numbers("grid", launch.grid, 3).numbers("block", launch.block, 3);
  line.number("shared", launch.shared).number("stream", static_cast<std::uint64_t>(stream));
  line.flag("cooperative", launch.cooperative).list_open("attributes");
  bool const clustered = (launch.cluster[0] | launch.cluster[1] | launch.cluster[2]) != 0;
  bool const prefers = (launch.preferred[0] | launch.preferred[1] | launch.preferred[2]) != 0;
  std::uint32_t const on = 1;
  auto const policy = static_cast<std::uint32_t>(launch.cluster_policy);
  if (clustered) write_attribute(line, cudaLaunchAttributeClusterDimension, launch.cluster, 3);
  if (policy != 0) write_attribute(line, cudaLaunchAttributeClusterSchedulingPolicyPreference, &policy, 1);
  if (launch.programmatic) write_attribute(line, cudaLaunchAttributeProgrammaticStreamSerialization, &on, 1);
  if (prefers) write_attribute(line, cudaLaunchAttributePreferredClusterDimension, launch.preferred, 3);
  line.list_close().hex("parameters", parameter_block, facts.parameter_bytes);
}

template <typename Size>
void take_size(std::uint32_t into[3], const Size& size) {
  into[0] = size.x;
  into[1] = size.y;
  into[2] = size.z;
}

cudaError_t take_attribute(const char* call, const cudaLaunchAttribute& one, Launch* launch) {
  switch (static_cast<int>(one.id)) {
    case cudaLaunchAttributeIgnore:
      break;
    case cudaLaunchAttributeCooperative:
      launch->cooperative = one.val.cooperative != 0;
      break;
    case cudaLaunchAttributeClusterDimension:
      take_size(launch->cluster, one.val.clusterDim);
      break;
    case cudaLaunchAttributePreferredClusterDimension:
      take_size(launch->preferred, one.val.preferredClusterDim);
      break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      launch->cluster_policy = static_cast<int>(one.val.clusterSchedulingPolicyPreference);
      if (launch->cluster_policy < 0 || launch->cluster_policy > cudaClusterSchedulingPolicyLoadBalancing) {
        return cudaErrorInvalidValue;
      }
      break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
      launch->programmatic = one.val.programmaticStreamSerializationAllowed != 0;
      break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      if (int const percent = static_cast<int>(one.val.sharedMemCarveout); percent < -1 || percent > 100) {
        return cudaErrorInvalidValue;
      }
      remark("launch_carveout_dropped", call);
      break;
    case cudaLaunchAttributePriority:
      remark("dropped_priority", call);
      break;
    case cudaLaunchAttributeAccessPolicyWindow:
      remark("access_policy_dropped", call);
      break;
    case cudaLaunchAttributeSynchronizationPolicy:
      remark("synchronization_policy_dropped", call);
      break;
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
      remark("mem_sync_domain_dropped", call);
      break;
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      remark("nvlink_scheduling_dropped", call);
      break;
    case cudaLaunchAttributeProgrammaticEvent:
      refuse(call, "launch attribute programmatic event: events inside a launch are not recorded");
    case cudaLaunchAttributeLaunchCompletionEvent:
      refuse(call, "launch attribute launch-completion event: events inside a launch are not recorded");
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      refuse(call, "launch attribute device-updatable node: graphs are not recorded");
    default:
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t take_attributes(const char* call, const cudaLaunchAttribute* attributes, unsigned count, Launch* launch) {
  for (unsigned i = 0; i < count; i++) {
    cudaLaunchAttribute one;
    if (!fetch(&one, attributes + i, sizeof one)) return cudaErrorInvalidValue;
    if (cudaError_t const code = take_attribute(call, one, launch); code != cudaSuccess) return code;
  }
  return cudaSuccess;
}

cudaError_t record_launch(const char* call, const void* function, Launch launch, const Arguments& arguments) {
  if (function == nullptr) return cudaErrorInvalidDeviceFunction;
  launch.function = function_of(function);
  if (launch.function == nullptr) return cudaErrorInvalidResourceHandle;
  if (launch.function->facts == nullptr) {
    refuse(call, "%.*s is not a kernel of the cubin that the judge compiled",
           static_cast<int>(launch.function->name.size < 300 ? launch.function->name.size : 300),
           launch.function->name.data);
  }
  if (cudaError_t const code = check_launch(call, launch); code != cudaSuccess) return code;
  int const stream = stream_number(call, launch.stream);
  if (stream < 0) return cudaErrorInvalidResourceHandle;
  if (!gather(*launch.function->facts, arguments)) return cudaErrorInvalidValue;
  write_launch(launch, stream);
  return cudaSuccess;
}

}  // namespace ptxboard
