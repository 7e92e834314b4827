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
