// Memory of the shim. It never comes from the author's heap: journal lines differ in length between two recordings,
// and a heap that moves with them would leave different bytes in the padding of the author's structs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxboard {

// A piece of text that something else owns; not terminated.
struct Text {
  const char* data = "";
  std::size_t size = 0;
};

bool operator==(Text left, Text right);
Text text_of(const char* terminated);

// Room for `size` bytes, zero, aligned to 16; lives until the process ends. Ends the process when there is no more.
void* arena_room(std::size_t size);

// A copy of at most `limit` bytes of a terminated string.
Text arena_copy(const char* terminated, std::size_t limit);

// A list with a fixed room, so that nothing an author does makes the shim grow without bound.
template <typename Item>
class List {
 public:
  void reserve(std::uint32_t capacity) {
    items_ = static_cast<Item*>(arena_room(sizeof(Item) * capacity));
    capacity_ = capacity;
  }
  // A new last item, zero; null when the list is full.
  Item* add() { return size_ < capacity_ ? &items_[size_++] : nullptr; }
  std::uint32_t size() const { return size_; }
  Item& operator[](std::uint32_t index) { return items_[index]; }
  const Item& operator[](std::uint32_t index) const { return items_[index]; }
  Item* begin() { return items_; }
  Item* end() { return items_ + size_; }
  const Item* begin() const { return items_; }
  const Item* end() const { return items_ + size_; }

 private:
  Item* items_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace ptxboard
