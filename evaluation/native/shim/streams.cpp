// Streams: recorded by number, never run. Priorities order work on a GPU and change no result, so they are dropped.
#include "api.h"
#include "ending.h"
#include "errors.h"
#include "journal.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

void write(std::uint32_t id, const char* action) {
  bool const non_blocking = (state().streams[id].flags & cudaStreamNonBlocking) != 0;
  Line("stream").number("id", id).text("action", action).flag("non_blocking", non_blocking);
}

void synchronize(const char* what, int stream) {
  Line("synchronize").text("what", what).number("stream", static_cast<unsigned>(stream)).number("event", 0);
}

cudaError_t create(const char* call, void** into, unsigned flags, int priority) {
  if (into == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) return cudaErrorInvalidValue;
  if (priority != 0) remark("dropped_priority", call);
  // As measured: least urgent 0, most urgent -5, anything beyond is taken as the nearest of them.
  int const kept = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  State& all = state();
  *into = all.tokens.handle();
  write(all.add_stream(*into, flags, kept), "create");
  return cudaSuccess;
}

cudaError_t destroy(const char* call, cudaStream_t stream) {
  int const number = stream_number(call, stream);
  if (number < 2) return cudaErrorInvalidResourceHandle;
  state().streams[static_cast<std::uint32_t>(number)].live = false;
  write(static_cast<std::uint32_t>(number), "destroy");
  return cudaSuccess;
}

cudaError_t wait(const char* call, cudaStream_t stream) {
  int const number = stream_number(call, stream);
  if (number < 0) return cudaErrorInvalidResourceHandle;
  synchronize("stream", number);
  return cudaSuccess;
}

Stream const* known(const char* call, cudaStream_t stream) {
  int const number = stream_number(call, stream);
  return number < 0 ? nullptr : &state().streams[static_cast<std::uint32_t>(number)];
}

// Attributes of a stream say how fast or next to what its work runs, and change no result.
cudaError_t set_attribute(const char* call, cudaStream_t stream, int attribute) {
  if (known(call, stream) == nullptr) return cudaErrorInvalidResourceHandle;
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
      remark("access_policy_dropped", call);
      return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
      remark("synchronization_policy_dropped", call);
      return cudaSuccess;
    case cudaLaunchAttributePriority:
      remark("dropped_priority", call);
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
      remark("mem_sync_domain_dropped", call);
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

// Numbers of streams are unique, and nothing more is promised of them.
unsigned long long number_of(Stream const& stream) {
  return static_cast<unsigned long long>(stream_number("cudaStreamGetId", static_cast<cudaStream_t>(stream.handle))) + 1;
}

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

template <typename Value, typename Found>
cudaError_t tell(const char* call, cudaStream_t stream, Value* into, Found found) {
  Stream const* const one = known(call, stream);
  if (one == nullptr) return cudaErrorInvalidResourceHandle;
  if (into == nullptr) return cudaErrorInvalidValue;
  *into = found(*one);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* into) {
  return report(create("cudaStreamCreate", reinterpret_cast<void**>(into), 0, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* into, unsigned flags) {
  return report(create("cudaStreamCreateWithFlags", reinterpret_cast<void**>(into), flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* into, unsigned flags, int priority) {
  return report(create("cudaStreamCreateWithPriority", reinterpret_cast<void**>(into), flags, priority));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return report(destroy("cudaStreamDestroy", stream)); }

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return report(wait("cudaStreamSynchronize", stream)); }

cudaError_t cudaStreamQuery(cudaStream_t stream) { return report(wait("cudaStreamQuery", stream)); }

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* into) {
  return report(tell("cudaStreamGetFlags", stream, into, [](Stream const& one) { return one.flags; }));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* into) {
  return report(tell("cudaStreamGetPriority", stream, into, [](Stream const& one) { return one.priority; }));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* into) {
  return report(tell("cudaStreamGetDevice", stream, into, [](Stream const&) { return 0; }));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* into) {
  auto const none = [](Stream const&) { return cudaStreamCaptureStatusNone; };
  return report(tell("cudaStreamIsCapturing", stream, into, none));
}

// Nothing is captured, and so the runtime writes to nothing but the status.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* into, unsigned long long*, cudaGraph_t*,
                                     const cudaGraphNode_t**, const cudaGraphEdgeData**, std::size_t*) {
  auto const none = [](Stream const&) { return cudaStreamCaptureStatusNone; };
  return report(tell("cudaStreamGetCaptureInfo", stream, into, none));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* into) {
  return report(tell("cudaStreamGetId", stream, into, number_of));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue*) {
  return report(set_attribute("cudaStreamSetAttribute", stream, static_cast<int>(attribute)));
}

cudaError_t cudaDeviceSynchronize() {
  synchronize("device", 0);
  return cudaSuccess;
}

CUresult cuStreamCreate(CUstream* into, unsigned flags) {
  return driver_code(create("cuStreamCreate", reinterpret_cast<void**>(into), flags, 0));
}

CUresult cuStreamCreateWithPriority(CUstream* into, unsigned flags, int priority) {
  return driver_code(create("cuStreamCreateWithPriority", reinterpret_cast<void**>(into), flags, priority));
}

CUresult cuStreamDestroy(CUstream stream) { return driver_code(destroy("cuStreamDestroy", stream)); }

CUresult cuStreamSynchronize(CUstream stream) { return driver_code(wait("cuStreamSynchronize", stream)); }

CUresult cuStreamQuery(CUstream stream) { return driver_code(wait("cuStreamQuery", stream)); }

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* into) {
  auto const none = [](Stream const&) { return CU_STREAM_CAPTURE_STATUS_NONE; };
  return driver_code(tell("cuStreamIsCapturing", stream, into, none));
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* into, cuuint64_t*, CUgraph*, const CUgraphNode**,
                                   const CUgraphEdgeData**, std::size_t*) {
  return cuStreamIsCapturing(stream, into);
}

#undef cuStreamGetCaptureInfo
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* into, cuuint64_t*) {
  return cuStreamIsCapturing(stream, into);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* into, cuuint64_t*, CUgraph*, const CUgraphNode**,
                                   std::size_t*) {
  return cuStreamIsCapturing(stream, into);
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* into) {
  return driver_code(tell("cuStreamGetId", stream, into, number_of));
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue*) {
  return driver_code(set_attribute("cuStreamSetAttribute", stream, static_cast<int>(attribute)));
}

CUresult cuCtxSynchronize() {
  synchronize("device", 0);
  return CUDA_SUCCESS;
}

}  // extern "C"

#pragma GCC visibility pop
