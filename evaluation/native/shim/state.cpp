#include "state.h"

#include "ending.h"

namespace ptxboard {
namespace {

constexpr std::uint32_t function_limit = 4096;
constexpr std::uint32_t symbol_limit = 4096;
constexpr std::uint32_t host_memory_limit = 1024;
constexpr std::uint32_t stream_limit = 256;
constexpr std::uint32_t event_limit = 4096;

State the_state;

}  // namespace

State& state() { return the_state; }

void State::begin() {
  tokens.begin(brief.seed, brief.process);
  functions.reserve(function_limit);
  symbols.reserve(symbol_limit);
  host_memory.reserve(host_memory_limit);
  streams.reserve(stream_limit);
  events.reserve(event_limit);
}

std::uint32_t State::add_stream(void* handle, unsigned flags, int priority) {
  Stream* const added = streams.add();
  if (added == nullptr) refuse("cudaStreamCreate", "more than %u streams", stream_limit);
  *added = Stream{handle, flags, priority, true};
  return streams.size() - 1;
}

cudaError_t failed(cudaError_t code) {
  the_state.last_error = code;
  return code;
}

int stream_number(const char* call, cudaStream_t stream) {
  if (stream == cudaStreamPerThread) refuse(call, "the per-thread default stream is not recorded; use a stream of your own");
  if (stream == nullptr || stream == cudaStreamLegacy) return 0;
  for (std::uint32_t i = 1; i < the_state.streams.size(); i++) {
    if (the_state.streams[i].live && the_state.streams[i].handle == stream) return static_cast<int>(i);
  }
  return -1;
}

Function* function_of(const void* function) {
  if (function == nullptr) return nullptr;
  for (Function& one : the_state.functions) {
    if (one.host == function || one.handle == function) return &one;
  }
  return nullptr;
}

Symbol* symbol_of(const void* host) {
  for (Symbol& one : the_state.symbols) {
    if (host != nullptr && one.host == host) return &one;
  }
  return nullptr;
}

}  // namespace ptxboard
