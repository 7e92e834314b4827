#include <cstdlib>

#include "action.h"

namespace {

const void* const scale_stub = reinterpret_cast<const void*>(scale);

struct Asked {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[8]{};

  explicit Asked(const Call& call) {
    config.gridDim = dim3(4);
    config.blockDim = dim3(128);
    config.stream = call.stream();
    config.attrs = attributes;
  }
  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    attributes[config.numAttrs].id = id;
    return attributes[config.numAttrs++].val;
  }
  void go(const Call& call) {
    void* from = call.tensor(0);
    void* to = call.tensor(1);
    int count = 7;
    Padded padded{};
    void* values[] = {&from, &to, &count, &padded};
    cudaLaunchKernelExC(&config, scale_stub, values);
  }
};

}  // namespace

ACTION(plain) { launch(call, dim3(3, 2, 1), dim3(32, 4, 1), 1024); }

ACTION(null_stream) {
  void* values[] = {nullptr};
  (void)values;
  void* from = call.tensor(0);
  void* to = call.tensor(1);
  int count = 7;
  Padded padded{};
  void* all[] = {&from, &to, &count, &padded};
  cudaLaunchKernel(scale_stub, dim3(1), dim3(1), all, 0, nullptr);
}

ACTION(every_attribute) {
  Asked asked(call);
  auto& cluster = asked.add(cudaLaunchAttributeClusterDimension).clusterDim;
  cluster = {2, 1, 1};
  auto& preferred = asked.add(cudaLaunchAttributePreferredClusterDimension).preferredClusterDim;
  preferred = {4, 1, 1};
  asked.add(cudaLaunchAttributeClusterSchedulingPolicyPreference).clusterSchedulingPolicyPreference =
      cudaClusterSchedulingPolicySpread;
  asked.add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
  asked.add(cudaLaunchAttributeCooperative).cooperative = 1;
  asked.go(call);
}

ACTION(dropped_attributes) {
  Asked asked(call);
  asked.add(cudaLaunchAttributePriority).priority = -3;
  asked.add(cudaLaunchAttributeAccessPolicyWindow).accessPolicyWindow.num_bytes = 4096;
  asked.add(cudaLaunchAttributeMemSyncDomain).memSyncDomain = cudaLaunchMemSyncDomainRemote;
  asked.add(cudaLaunchAttributePreferredSharedMemoryCarveout).sharedMemCarveout = 50;
  asked.go(call);
}

ACTION(programmatic_event) {
  Asked asked(call);
  asked.add(cudaLaunchAttributeProgrammaticEvent).programmaticEvent.event = nullptr;
  asked.go(call);
}

ACTION(completion_event) {
  Asked asked(call);
  asked.add(cudaLaunchAttributeLaunchCompletionEvent).launchCompletionEvent.event = nullptr;
  asked.go(call);
}

ACTION(device_updatable) {
  Asked asked(call);
  asked.add(cudaLaunchAttributeDeviceUpdatableKernelNode).deviceUpdatableKernelNode.deviceUpdatable = 1;
  asked.go(call);
}

ACTION(four_stages_then_three) {
  for (int stages = 4; stages > 0; stages--) {
    int const bytes = stages * (64 << 10);
    if (cudaFuncSetAttribute(scale_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    launch(call, dim3(1), dim3(32), static_cast<size_t>(bytes));
    return;
  }
}

// Two clusters of two blocks that may wait for each other.
ACTION(cooperative_clusters) {
  Asked asked(call);
  cudaLaunchAttributeValue& size = asked.add(cudaLaunchAttributeClusterDimension);
  size.clusterDim.x = 2;
  size.clusterDim.y = size.clusterDim.z = 1;
  asked.add(cudaLaunchAttributeCooperative).cooperative = 1;
  asked.go(call);
}

ACTION(failed_launch) {
  launch(call, dim3(0));
  tell(call, cudaPeekAtLastError());
  tell(call, cudaGetLastError());
  tell(call, cudaGetLastError());
}

ACTION(stranger) {
  void stranger();
  cudaLaunchKernel(reinterpret_cast<const void*>(stranger), dim3(1), dim3(1), nullptr, 0, nullptr);
}

ACTION(no_kernel) {
  tell(call, cudaLaunchKernel(reinterpret_cast<const void*>(&call), dim3(1), dim3(1), nullptr, 0, nullptr));
}

ACTION(unreadable_argument) {
  void* values[] = {reinterpret_cast<void*>(16), nullptr, nullptr, nullptr};
  tell(call, cudaLaunchKernel(scale_stub, dim3(1), dim3(1), values, 0, nullptr));
}

ACTION(driver_launch) {
  cudaFunction_t function = nullptr;
  cudaGetFuncBySymbol(&function, scale_stub);
  unsigned char block[32] = {};
  void* const from = call.tensor(0);
  std::memcpy(block, &from, sizeof from);
  block[16] = 9;
  size_t size = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, call.stream(), nullptr, extra);
}

ACTION(short_driver_block) {
  cudaFunction_t function = nullptr;
  cudaGetFuncBySymbol(&function, scale_stub);
  unsigned char block[8] = {};
  size_t size = sizeof block;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  tell(call, cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, call.stream(), nullptr, extra));
}

ACTION(attributes_of_functions) {
  cudaFuncSetAttribute(scale_stub, cudaFuncAttributePreferredSharedMemoryCarveout, -1);
  cudaFuncSetAttribute(scale_stub, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaFuncSetAttribute(scale_stub, cudaFuncAttributeMaxDynamicSharedMemorySize, -5);
}

ACTION(per_thread_stream) {
  cudaLaunchKernel(scale_stub, dim3(1), dim3(1), nullptr, 0, cudaStreamPerThread);
}

ACTION(foreign_stream) {
  tell(call, cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(0x5150)));
}

// Padding of structs that come from the heap and from the stack.
ACTION(padding) {
  auto* const heap = static_cast<Padded*>(std::malloc(sizeof(Padded)));
  heap->mode = 1;
  heap->count = 2;
  Padded stack;
  stack.mode = 3;
  stack.count = 4;
  void* from = call.tensor(0);
  void* to = call.tensor(1);
  int count = 7;
  void* values[] = {&from, &to, &count, heap};
  cudaLaunchKernel(scale_stub, dim3(1), dim3(1), values, 0, nullptr);
  values[3] = &stack;
  cudaLaunchKernel(scale_stub, dim3(1), dim3(1), values, 0, nullptr);
}
