#include "action.h"

ACTION(encode) {
  alignas(64) CUtensorMap map;
  cuuint64_t dims[2] = {4096, 972};
  cuuint64_t strides[1] = {8192};
  cuuint32_t box[2] = {64, 128};
  cuuint32_t steps[2] = {1, 1};
  int const code = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, call.tensor(0), dims, strides, box,
                                          steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                          CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  tell(call, code);
  struct {
    CUtensorMap maps[2];
  } passed;
  passed.maps[0] = map;
  cuTensorMapReplaceAddress(&map, call.tensor(1));
  passed.maps[1] = map;
  void* values[] = {&passed};
  cudaLaunchKernel(reinterpret_cast<const void*>(table), dim3(1), dim3(32), values, 0, call.stream());
}

ACTION(encode_im2col) {
  alignas(64) CUtensorMap map;
  cuuint64_t dims[4] = {64, 56, 56, 8};
  cuuint64_t strides[3] = {128, 128 * 56, 128 * 56 * 56};
  int lower[2] = {-1, -2};
  int upper[2] = {1, 0};
  cuuint32_t steps[4] = {1, 2, 1, 1};
  cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 4, call.tensor(0), dims, strides, lower, upper, 64, 96,
                          steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                          CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

ACTION(replace_forged) {
  alignas(64) CUtensorMap map{};
  cuTensorMapReplaceAddress(&map, call.tensor(0));
}

ACTION(entries) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
  tell(call, found == reinterpret_cast<void*>(cuTensorMapEncodeTiled));
  cudaGetDriverEntryPointByVersion("cuNoSuchThing", &found, 12000, cudaEnableDefault, &status);
  tell(call, status);
}

ACTION(streams) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaEvent_t last = nullptr;
  cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&last, cudaEventDisableTiming);
  cudaEventRecord(event, call.stream());
  cudaStreamWaitEvent(stream, event, 0);
  cudaMemsetAsync(call.tensor(0), 0, 1, stream);
  cudaEventRecord(last, stream);
  cudaStreamSynchronize(stream);
  cudaEventSynchronize(last);
  cudaDeviceSynchronize();
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
}

ACTION(questions) {
  int value = 0;
  cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, reinterpret_cast<const void*>(scale), 128, 1024);
  cudaDriverGetVersion(&value);
  cudaDeviceProp found{};
  cudaGetDeviceProperties(&found, 0);
  tell(call, found.multiProcessorCount);
  tell(call, std::strcmp(found.name, "NVIDIA H200"));
}

ACTION(unknown_attribute) {
  int value = 0;
  cudaDeviceGetAttribute(&value, cudaDevAttrPciBusId, 0);
}

ACTION(stack) {
  size_t bytes = 0;
  cudaDeviceSetLimit(cudaLimitStackSize, 1 << 20);
  cudaDeviceGetLimit(&bytes, cudaLimitStackSize);
  tell(call, static_cast<int>(bytes >> 10));
}

ACTION(pools) {
  cudaMemPool_t pool = nullptr;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  uint64_t threshold = 4096;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  threshold = 0;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
  tell(call, static_cast<int>(threshold >> 8));
}

ACTION(error_text) { tell(call, std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument")); }


ACTION(stream_attribute) {
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.num_bytes = 4096;
  tell(call, cudaStreamSetAttribute(call.stream(), cudaLaunchAttributeAccessPolicyWindow, &value));
  tell(call, cudaStreamSetAttribute(call.stream(), cudaLaunchAttributeClusterDimension, &value));
}
