#include "memory.h"

#include <sys/mman.h>

#include <cstring>

#include "ending.h"
#include "journal.h"

namespace ptxboard {
namespace {

// What a plan may allocate (rule T4): the bound where the table does not say how much memory a device has.
constexpr std::uint64_t plan_limit_bytes = std::uint64_t{24} << 30;
constexpr std::uint64_t host_limit_bytes = std::uint64_t{256} << 20;
constexpr std::uint64_t page_bytes = 4096;

const char* kind_of(Origin origin) {
  return origin == Origin::async ? "async" : origin == Origin::environment ? "environment" : "device";
}

void write_allocation(std::uint32_t id, std::uint64_t base, std::uint64_t size, const char* kind, int stream) {
  Line("alloc").number("id", id).number("base", base).number("size", size).text("kind", kind).number(
      "stream", static_cast<unsigned>(stream));
}

void write_release(std::uint32_t id, int stream) {
  Line("free").number("id", id).number("stream", static_cast<unsigned>(stream));
}

std::uint64_t pages(std::uint64_t size) { return (size + page_bytes - 1) / page_bytes * page_bytes; }

HostMemory* add_host(std::uint64_t base, std::uint64_t size, bool registered) {
  State& all = state();
  HostMemory* const added = all.host_memory.add();
  if (added == nullptr) refuse("cudaMallocHost", "too many pieces of pinned memory");
  *added = HostMemory{base, size, all.allocations++, true, registered};
  write_allocation(added->id, base, size, "host", 0);
  return added;
}

HostMemory* host_memory_at(const void* base, bool registered) {
  HostMemory* const one = host_memory_of(base);
  bool const is_it = one != nullptr && one->base == reinterpret_cast<std::uint64_t>(base) && one->registered == registered;
  return is_it ? one : nullptr;
}

}  // namespace

void* allocate(std::uint64_t size, Origin origin, int stream) {
  State& all = state();
  std::uint64_t const stated = all.brief.device.memory_bytes;
  std::uint64_t const memory = stated != 0 ? stated : plan_limit_bytes;
  if (size > memory - all.allocated_bytes) return nullptr;
  Range const* const range = all.tokens.add(size, origin, all.allocations);
  all.allocated_bytes += size;
  write_allocation(all.allocations++, range->base, size, kind_of(origin), stream);
  return reinterpret_cast<void*>(range->base);
}

bool release(void* base, int stream) {
  State& all = state();
  Range* const range = all.tokens.find(base);
  if (range == nullptr || range->base != reinterpret_cast<std::uint64_t>(base)) return false;
  if (range->origin != Origin::device && range->origin != Origin::async && range->origin != Origin::environment) return false;
  range->live = false;
  all.allocated_bytes -= range->size;
  write_release(range->index, stream);
  return true;
}

bool inside(const void* place, std::uint64_t bytes) {
  Range const* const range = state().tokens.find(place);
  if (range == nullptr) return false;
  std::uint64_t const offset = reinterpret_cast<std::uint64_t>(place) - range->base;
  return bytes <= range->size - offset;
}

void* allocate_host(std::uint64_t size) {
  State& all = state();
  if (size > host_limit_bytes - all.host_bytes) return nullptr;
  void* const mapped = mmap(nullptr, pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  all.host_bytes += size;
  add_host(reinterpret_cast<std::uint64_t>(mapped), size, false);
  return mapped;
}

bool release_host(void* base) {
  HostMemory* const one = host_memory_at(base, false);
  if (one == nullptr) return false;
  munmap(base, pages(one->size));
  state().host_bytes -= one->size;
  one->live = false;
  write_release(one->id, 0);
  return true;
}

HostMemory* host_memory_of(const void* place) {
  for (HostMemory& one : state().host_memory) {
    if (one.live && reinterpret_cast<std::uint64_t>(place) - one.base < one.size) return &one;
  }
  return nullptr;
}

bool register_host(void* base, std::uint64_t size) {
  if (host_memory_of(base) != nullptr) return false;
  add_host(reinterpret_cast<std::uint64_t>(base), size, true);
  return true;
}

bool unregister_host(void* base) {
  HostMemory* const one = host_memory_at(base, true);
  if (one == nullptr) return false;
  one->live = false;
  write_release(one->id, 0);
  return true;
}

}  // namespace ptxboard
