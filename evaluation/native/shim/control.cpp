#include "control.h"

#include <dlfcn.h>

#include <cstring>

#include "ending.h"
#include "faults.h"
#include "journal.h"
#include "libc.h"
#include "memory.h"
#include "state.h"

namespace ptxboard {

const Brief* ptxboard_open(int descriptor) {
  State& all = state();
  read_brief(descriptor, &all.brief);
  all.begin();
  unsigned char nonce[16];
  std::memcpy(nonce, &all.tokens.nonce_low, 8);
  std::memcpy(nonce + 8, &all.tokens.nonce_high, 8);
  Line("begin").number("version", 1).number("calls", all.brief.calls).hex("nonce", nonce, sizeof nonce);
  return &all.brief;
}

void* ptxboard_buffer(std::uint32_t argument, std::uint32_t set, std::uint64_t size) {
  Range const* const range = state().tokens.add(size, Origin::buffer, argument * 2 + set);
  Line("buffer").number("argument", argument).number("set", set).number("base", range->base).number("size", size);
  return reinterpret_cast<void*>(range->base);
}

void* ptxboard_stream() {
  State& all = state();
  if (all.streams.size() == 0) {
    all.add_stream(nullptr, 0, 0);
    all.add_stream(all.tokens.handle(), 0, 0);
    all.context = all.tokens.handle();
    all.pool = all.tokens.handle();
  }
  return all.streams[1].handle;
}

void* ptxboard_allocate(std::uint64_t size) { return allocate(size, Origin::environment, 1); }

void ptxboard_release(void* base) { release(base, 1); }

void ptxboard_watch() { watch_faults(); }

void* ptxboard_load(const char* path) {
  state().author_runs = true;
  void* const library = real_dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const why = dlerror();
  refuse("dlopen", "the library does not load: %.300s", why != nullptr ? why : "no reason given");
}

void* ptxboard_entry(void* library, const char* name) { return real_dlsym(library, name); }

void ptxboard_call(std::uint32_t number, std::uint32_t set) {
  Line("call").number("n", number).number("set", set);
}

void ptxboard_return(std::uint32_t number, int status, const char* message, std::size_t size) {
  constexpr std::size_t limit_characters = 4000;
  static char kept[limit_characters * 4];  // bytes of the longest characters
  std::size_t const length = size < sizeof kept ? size : sizeof kept;
  bool const readable = fetch(kept, message, length);
  Text const shown = readable ? Text{kept, length} : text_of("(the message cannot be read)");
  Line("return").number("n", number).integer("status", status).text("message", shown, limit_characters);
}

void ptxboard_end() {
  Line("end").number("calls", state().brief.calls);
  leave(exit_complete);
}

void ptxboard_fail(const char* what) { fail(what); }

void ptxboard_refuse(const char* call, const char* why) { refuse(call, "%s", why); }

bool ptxboard_text(const char* from, char* into, std::size_t room) {
  for (std::size_t at = 0; at + 1 < room; at++) {
    if (!fetch(into + at, from + at, 1)) return false;
    if (into[at] == 0) return true;
  }
  into[room - 1] = 0;
  return true;
}

}  // namespace ptxboard
