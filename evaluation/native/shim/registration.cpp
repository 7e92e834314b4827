// What nvcc's host code says about the kernels and variables of its file before anything else runs.
#include <cstring>

#include "api.h"
#include "ending.h"
#include "journal.h"
#include "state.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

constexpr std::size_t name_limit = 4096;

// One file makes one fat binary; its handle means nothing to us.
void* fat_binary = nullptr;
std::uint32_t first_function = 0;
std::uint32_t first_symbol = 0;

void write_module() {
  State const& all = state();
  std::uint64_t room = 1024;
  for (std::uint32_t i = first_function; i < all.functions.size(); i++) room += 8 + all.functions[i].name.size * 6;
  for (std::uint32_t i = first_symbol; i < all.symbols.size(); i++) room += 128 + all.symbols[i].name.size * 6;
  journal_need(room);
  Line line("module");
  line.list_open("functions");
  for (std::uint32_t i = first_function; i < all.functions.size(); i++) line.item(all.functions[i].name);
  line.list_close().list_open("symbols");
  for (std::uint32_t i = first_symbol; i < all.symbols.size(); i++) {
    Symbol const& one = all.symbols[i];
    line.object_open().text("name", one.name).number("base", one.range->base).number("size", one.size).object_close();
  }
  line.list_close();
  first_function = all.functions.size();
  first_symbol = all.symbols.size();
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) { return &fat_binary; }

void __cudaRegisterFatBinaryEnd(void**) { write_module(); }

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  State& all = state();
  Function* const added = all.functions.add();
  if (added == nullptr) refuse("__cudaRegisterFunction", "too many kernels");
  *added = Function{};
  added->host = host;
  added->name = arena_copy(name, name_limit);
  added->facts = all.brief.kernel(added->name);
  added->handle = all.tokens.handle();
}

void __cudaRegisterVar(void**, char* host, char*, const char* name, int, std::size_t size, int constant, int) {
  State& all = state();
  Symbol* const added = all.symbols.add();
  if (added == nullptr) refuse("__cudaRegisterVar", "too many variables");
  *added = Symbol{};
  added->host = host;
  added->name = arena_copy(name, name_limit);
  added->size = size;
  added->constant = constant != 0;
  added->range = all.tokens.add(size, Origin::symbol, all.symbols.size() - 1);
}

void __cudaRegisterManagedVar(void**, void**, char*, const char* name, int, std::size_t, int, int) {
  refuse("__cudaRegisterManagedVar", "managed variable %.200s: managed memory is not recorded; use cudaMalloc", name);
}

void __cudaRegisterHostVar(void**, const char* name, char*, std::size_t) {
  refuse("__cudaRegisterHostVar", "host variable %.200s is shared with the device, which is not recorded", name);
}

void __cudaRegisterUnifiedTable(void**, void*) {
  refuse("__cudaRegisterUnifiedTable", "unified function tables are not recorded");
}

void __cudaRegisterTexture(void**, const void*, const void**, const char* name, int, int, int) {
  refuse("__cudaRegisterTexture", "texture %.200s: textures are not recorded; read plain memory", name);
}

void __cudaRegisterSurface(void**, const void*, const void**, const char* name, int, int) {
  refuse("__cudaRegisterSurface", "surface %.200s: surfaces are not recorded; write plain memory", name);
}

}  // extern "C"

#pragma GCC visibility pop
