#include "arena.h"

#include <sys/mman.h>

#include <cstring>

#include "ending.h"

namespace ptxboard {
namespace {

// Mapped at once, so that later mappings of the author lie at the same places in every recording.
constexpr std::size_t arena_bytes = std::size_t{48} << 20;

char* arena_next = nullptr;
char* arena_end = nullptr;

}  // namespace

bool operator==(Text left, Text right) {
  return left.size == right.size && std::memcmp(left.data, right.data, left.size) == 0;
}

Text text_of(const char* terminated) { return {terminated, std::strlen(terminated)}; }

void* arena_room(std::size_t size) {
  if (arena_next == nullptr) {
    void* const mapped =
        mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) fail("cannot map memory for the shim");
    arena_next = static_cast<char*>(mapped);
    arena_end = arena_next + arena_bytes;
  }
  std::size_t const rounded = (size + 15) & ~std::size_t{15};
  if (rounded < size || rounded > static_cast<std::size_t>(arena_end - arena_next)) fail("the shim has no memory left");
  void* const room = arena_next;
  arena_next += rounded;
  return room;
}

Text arena_copy(const char* terminated, std::size_t limit) {
  std::size_t const size = strnlen(terminated, limit);
  char* const room = static_cast<char*>(arena_room(size + 1));
  std::memcpy(room, terminated, size);
  return {room, size};
}

}  // namespace ptxboard
