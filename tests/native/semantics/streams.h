// Streams, events and the questions about them.
#pragma once

#include "kernels.h"

void report_streams() {
  topic = "stream";
  cudaStream_t stream = nullptr;
  outcome("create", cudaStreamCreate(&stream));
  outcome("query", cudaStreamQuery(stream));
  outcome("wait", cudaStreamSynchronize(stream));
  unsigned flags = 9;
  int priority = 9;
  outcome("flags", cudaStreamGetFlags(stream, &flags));
  fact("  value", flags);
  outcome("priority", cudaStreamGetPriority(stream, &priority));
  fact("  value", priority);
  outcome("priority of null", cudaStreamGetPriority(nullptr, &priority));
  fact("  value", priority);
  cudaStreamCaptureStatus capturing{};
  outcome("capturing", cudaStreamIsCapturing(stream, &capturing));
  fact("  value", capturing);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
  unsigned long long number = 99;
  outcome("capture information", cudaStreamGetCaptureInfo(stream, &status, &number, nullptr, nullptr, nullptr, nullptr));
  fact("  status", status);
  fact("  id", (long long)number);
  cudaGraph_t graph = reinterpret_cast<cudaGraph_t>(&number);
  const cudaGraphNode_t* nodes = reinterpret_cast<const cudaGraphNode_t*>(&number);
  size_t count = 99;
  outcome("all capture information", cudaStreamGetCaptureInfo(stream, &status, &number, &graph, &nodes, nullptr, &count));
  fact("  id", (long long)number);
  fact("  graph is null", graph == nullptr);
  fact("  nodes are null", nodes == nullptr);
  fact("  nodes", (long long)count);
  outcome("capture information of null", cudaStreamGetCaptureInfo(nullptr, &status, &number, nullptr, nullptr, nullptr, nullptr));
  outcome("capture information into nothing",
          cudaStreamGetCaptureInfo(stream, nullptr, &number, nullptr, nullptr, nullptr, nullptr));
  CUstreamCaptureStatus found{};
  cuuint64_t wide = 99;
  result("cuStreamGetCaptureInfo", cuStreamGetCaptureInfo(stream, &found, &wide, nullptr, nullptr, nullptr, nullptr));
  fact("  status", found);
  unsigned long long first = 0, second = 0;
  outcome("id", cudaStreamGetId(stream, &first));
  outcome("id again", cudaStreamGetId(stream, &second));
  fact("  same", first == second);
  outcome("id of null", cudaStreamGetId(nullptr, &second));
  fact("  other", first != second);
  outcome("id into nothing", cudaStreamGetId(stream, nullptr));
  result("cuStreamGetId", cuStreamGetId(stream, &second));
  fact("  same", first == second);
  outcome("destroy", cudaStreamDestroy(stream));
  outcome("destroy null", cudaStreamDestroy(nullptr));
  outcome("create 9", cudaStreamCreateWithFlags(&stream, 9));
  outcome("non-blocking", cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  outcome("flags again", cudaStreamGetFlags(stream, &flags));
  fact("  value", flags);
  cudaStream_t urgent = nullptr;
  outcome("with priority", cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -1));
  outcome("its priority", cudaStreamGetPriority(urgent, &priority));
  fact("  value", priority);
  cudaEvent_t event = nullptr;
  outcome("event", cudaEventCreate(&event));
  outcome("event query", cudaEventQuery(event));
  outcome("record", cudaEventRecord(event, stream));
  outcome("wait event", cudaStreamWaitEvent(urgent, event, 0));
  outcome("event wait", cudaEventSynchronize(event));
  outcome("event query again", cudaEventQuery(event));
  outcome("event destroy", cudaEventDestroy(event));
  outcome("event destroy null", cudaEventDestroy(nullptr));
  outcome("record null", cudaEventRecord(nullptr, stream));
  outcome("event flags 64", cudaEventCreateWithFlags(&event, 64));
  outcome("event flags 2", cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaStreamDestroy(stream);
  cudaStreamDestroy(urgent);
  cudaEventDestroy(event);
  outcome("per-thread query", cudaStreamQuery(cudaStreamLegacy));
}
