// Runs the host part of one kernel and lets the shim write down what it would have done.
//
// Usage: driver BRIEF LIBRARY, with descriptor 10 open for the recording.
#include <fcntl.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <unistd.h>

#include <cstring>

#include "allocator.h"
#include "arguments.h"
#include "confinement.h"
#include "control.h"

namespace ptxboard {
namespace {

using Entry = int (*)(void* self, const TVMFFIAny* arguments, std::int32_t count, TVMFFIAny* result);

constexpr std::size_t scrubbed_stack_bytes = 256 << 10;

// Random numbers of the process that end up in memory which the author's structs reuse: the stack guard, the pointer
// guard and the kernel's sixteen bytes they come from. Decided by the brief, the two recordings that are compared
// differ in tokens only, and those that look for undecided bytes differ in all of these (rule L3).
// Functions that are under way keep the guard they began with, so this one and main are built without.
void decide_random_bytes(const Brief& brief) {
  std::uint64_t const all = 0x0101010101010101 * brief.fill;
  auto* const bytes = reinterpret_cast<unsigned char*>(getauxval(AT_RANDOM));
  if (bytes != nullptr) std::memset(bytes, static_cast<int>(brief.fill), 16);
  __asm__ volatile("movq %0, %%fs:0x28" : : "r"(all & ~std::uint64_t{0xFF}));  // as glibc: no guard is a whole string
  __asm__ volatile("movq %0, %%fs:0x30" : : "r"(~all));
  mallopt(M_PERTURB, static_cast<int>(brief.fill));
}

// What earlier calls left on the stack would show in the padding of the author's structs.
__attribute__((noinline)) void scrub_stack(const Brief& brief) {
  char room[scrubbed_stack_bytes];
  std::memset(room, static_cast<int>(brief.fill), sizeof room);
  __asm__ volatile("" : : "r"(room) : "memory");
}

void report(std::uint32_t number, int status) {
  const char* message = "";
  std::size_t size = 0;
  TVMFFIObjectHandle error = nullptr;
  if (status != 0) TVMFFIErrorMoveFromRaised(&error);
  if (error != nullptr) {
    TVMFFIErrorCell const* const cell = TVMFFIErrorGetCellPtr(error);
    message = cell->message.data;
    size = cell->message.size;
  }
  ptxboard_return(number, status, message, size);
  if (error != nullptr) TVMFFIObjectDecRef(error);
}

Entry load(const Brief& brief, const char* path) {
  ptxboard_call(0, 0);
  scrub_stack(brief);
  void* const library = ptxboard_load(path);
  auto const entry = reinterpret_cast<Entry>(ptxboard_entry(library, "__tvm_ffi_run"));
  if (entry == nullptr) ptxboard_refuse("__tvm_ffi_run", "the library exports no function run");
  ptxboard_return(0, 0, "", 0);
  return entry;
}

void call(const Brief& brief, Entry entry, ArgumentSets* arguments, std::uint32_t number) {
  std::uint32_t const set = (number - 1) % buffer_sets;
  TVMFFIAny const* const values = arguments->fresh(set);
  TVMFFIAny result{};
  result.type_index = kTVMFFINone;
  ptxboard_call(number, set);
  scrub_stack(brief);
  report(number, entry(nullptr, values, arguments->count(), &result));
}

}  // namespace
}  // namespace ptxboard

int main(int count, char** words) {
  using namespace ptxboard;
  if (count != 3) ptxboard_fail("usage: driver BRIEF LIBRARY");
  int const descriptor = open(words[1], O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) ptxboard_fail("the brief cannot be opened");
  Brief const& brief = *ptxboard_open(descriptor);
  close(descriptor);
  decide_random_bytes(brief);
  static ArgumentSets arguments(brief);
  if (TVMFFIEnvSetStream(kDLCUDA, 0, ptxboard_stream(), nullptr) != 0) ptxboard_fail("the stream cannot be set");
  install_allocator();
  ptxboard_watch();
  confine(words[2]);
  Entry const entry = load(brief, words[2]);
  for (std::uint32_t number = 1; number <= brief.calls; number++) call(brief, entry, &arguments, number);
  ptxboard_end();
}
