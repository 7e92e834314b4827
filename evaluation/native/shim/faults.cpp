#include "faults.h"

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "ending.h"
#include "journal.h"
#include "state.h"

namespace ptxboard {
namespace {

constexpr std::size_t page_bytes = 4096;

sigjmp_buf way_back;
volatile sig_atomic_t guarding = 0;

void crashed(int signal, siginfo_t* information, void* /*context*/) {
  if (guarding != 0 && (signal == SIGSEGV || signal == SIGBUS)) siglongjmp(way_back, 1);
  bool const has_address = signal != SIGABRT && information->si_code > 0;
  auto const address = has_address ? reinterpret_cast<std::uint64_t>(information->si_addr) : 0;
  char place[4200];
  describe_place(address, place, sizeof place);
  journal_make_way();
  Line("crash").number("signal", static_cast<unsigned>(signal)).number("address", address).text("where", text_of(place), 4200);
  leave(exit_crashed);
}

template <typename Work>
bool guarded(Work work) {
  if (sigsetjmp(way_back, 0) != 0) {
    guarding = 0;
    return false;
  }
  guarding = 1;
  __asm__ volatile("" ::: "memory");
  work();
  __asm__ volatile("" ::: "memory");
  guarding = 0;
  return true;
}

}  // namespace

bool fetch(void* into, const void* from, std::size_t size) {
  if (size == 0) return true;
  if (from == nullptr) return false;
  return guarded([&] { std::memcpy(into, from, size); });
}

bool store(void* into, const void* from, std::size_t size) {
  if (size == 0) return true;
  if (into == nullptr) return false;
  return guarded([&] { std::memcpy(into, from, size); });
}

bool readable(const void* from, std::size_t size) {
  if (size == 0) return true;
  if (from == nullptr) return false;
  auto const* bytes = static_cast<const volatile char*>(from);
  return guarded([&] {
    for (std::size_t at = 0; at < size; at += page_bytes) (void)bytes[at];
    (void)bytes[size - 1];
  });
}

void describe_place(std::uint64_t address, char* into, std::size_t room) {
  into[0] = 0;
  const Range* const range = address != 0 ? state().tokens.trace(address) : nullptr;
  if (range == nullptr) return;
  switch (range->origin) {
    case Origin::buffer:
      std::snprintf(into, room, "argument %u set %u", range->index / 2, range->index % 2);
      break;
    case Origin::device:
    case Origin::async:
    case Origin::environment:
      std::snprintf(into, room, "allocation %u", range->index);
      break;
    case Origin::symbol: {
      Text const name = state().symbols[range->index].name;
      std::snprintf(into, room, "symbol %.*s", static_cast<int>(name.size), name.data);
      break;
    }
    case Origin::handle:
      break;
  }
}

void watch_faults() {
  constexpr std::size_t stack_bytes = 64 << 10;
  stack_t stack{};
  stack.ss_sp = arena_room(stack_bytes);
  stack.ss_size = stack_bytes;
  sigaltstack(&stack, nullptr);
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action{};
    action.sa_sigaction = crashed;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace ptxboard
