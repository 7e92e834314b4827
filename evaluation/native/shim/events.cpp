// Events: they order streams. What they measure is not recorded, so elapsed time is among the refused names.
#include "api.h"
#include "ending.h"
#include "errors.h"
#include "journal.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr unsigned known_flags = cudaEventBlockingSync | cudaEventDisableTiming;

void write(std::uint32_t id, const char* action, int stream) {
  Line("event").number("id", id).text("action", action).number("stream", static_cast<unsigned>(stream));
}

int event_number(cudaEvent_t event) {
  List<Event>& events = state().events;
  for (std::uint32_t i = 0; i < events.size(); i++) {
    if (event != nullptr && events[i].live && events[i].handle == event) return static_cast<int>(i);
  }
  return -1;
}

cudaError_t create(const char* call, void** into, unsigned flags) {
  if ((flags & unsigned{cudaEventInterprocess}) != 0) refuse(call, "events between processes are not recorded");
  if (into == nullptr || (flags & ~known_flags) != 0) return cudaErrorInvalidValue;
  State& all = state();
  Event* const added = all.events.add();
  if (added == nullptr) refuse(call, "too many events");
  *added = Event{all.tokens.handle(), true};
  *into = added->handle;
  write(all.events.size() - 1, "create", 0);
  return cudaSuccess;
}

cudaError_t act(const char* call, cudaEvent_t event, cudaStream_t stream, const char* action) {
  int const number = event_number(event);
  int const on = stream_number(call, stream);
  if (number < 0 || on < 0) return cudaErrorInvalidResourceHandle;
  write(static_cast<std::uint32_t>(number), action, on);
  return cudaSuccess;
}

cudaError_t destroy(const char* call, cudaEvent_t event) {
  cudaError_t const code = act(call, event, nullptr, "destroy");
  if (code == cudaSuccess) state().events[static_cast<std::uint32_t>(event_number(event))].live = false;
  return code;
}

cudaError_t wait(cudaEvent_t event) {
  int const number = event_number(event);
  if (number < 0) return cudaErrorInvalidResourceHandle;
  Line("synchronize").text("what", "event").number("stream", 0).number("event", static_cast<unsigned>(number));
  return cudaSuccess;
}

cudaError_t record(const char* call, cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags != cudaEventRecordDefault) refuse(call, "record flags other than the default need graphs");
  return act(call, event, stream, "record");
}

cudaError_t stream_wait(const char* call, cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (flags != cudaEventWaitDefault) refuse(call, "wait flags other than the default need graphs");
  return act(call, event, stream, "wait");
}

cudaError_t report(cudaError_t code) { return code == cudaSuccess ? code : failed(code); }

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* into) {
  return report(create("cudaEventCreate", reinterpret_cast<void**>(into), 0));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* into, unsigned flags) {
  return report(create("cudaEventCreateWithFlags", reinterpret_cast<void**>(into), flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) { return report(destroy("cudaEventDestroy", event)); }

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return report(record("cudaEventRecord", event, stream, 0));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return report(record("cudaEventRecordWithFlags", event, stream, flags));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return report(stream_wait("cudaStreamWaitEvent", stream, event, flags));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return report(wait(event)); }

cudaError_t cudaEventQuery(cudaEvent_t event) { return report(wait(event)); }

CUresult cuEventCreate(CUevent* into, unsigned flags) {
  return driver_code(create("cuEventCreate", reinterpret_cast<void**>(into), flags));
}

CUresult cuEventDestroy(CUevent event) { return driver_code(destroy("cuEventDestroy", event)); }

CUresult cuEventRecord(CUevent event, CUstream stream) { return driver_code(record("cuEventRecord", event, stream, 0)); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return driver_code(stream_wait("cuStreamWaitEvent", stream, event, flags));
}

CUresult cuEventSynchronize(CUevent event) { return driver_code(wait(event)); }

CUresult cuEventQuery(CUevent event) { return driver_code(wait(event)); }

}  // extern "C"

#pragma GCC visibility pop
