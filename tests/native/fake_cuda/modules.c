#define _GNU_SOURCE
#include "fake.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Records of .nv.info, as core/binary/cubin_attributes.py has them.
enum { kMachineCuda = 190, kSized = 4, kOneParameter = 0x17, kOneParameterWide = 0x45, kParameterBlock = 0x0A };
enum { kMostThreads = 0x05, kRequiredThreads = 0x10, kRegisters = 0x2F };
enum { kReservedShared = 1024 };  // the first KiB of each block's shared memory is the system's

struct module {
  char *image;
  Elf64_Ehdr *header;
  Elf64_Shdr *sections;
  char **memory;  // by section: where a data section lies on the device, or NULL
  struct function *functions;
  int function_count;
};

static const char *section_name(const struct module *module, int index) {
  return module->image + module->sections[module->header->e_shstrndx].sh_offset + module->sections[index].sh_name;
}

static int find_section(const struct module *module, const char *name) {
  for (int i = 1; i < module->header->e_shnum; ++i) {
    if (strcmp(section_name(module, i), name) == 0) return i;
  }
  return 0;
}

// The driver is handed an address alone: how long an image is, its own section table says.
static size_t image_bytes(const Elf64_Ehdr *header) {
  size_t end = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)((const char *)header + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    const size_t stop = sections[i].sh_type == SHT_NOBITS ? 0 : sections[i].sh_offset + sections[i].sh_size;
    if (stop > end) end = stop;
  }
  return end;
}

static void place_data(struct module *module) {
  for (int i = 1; i < module->header->e_shnum; ++i) {
    const Elf64_Shdr *section = &module->sections[i];
    const char *name = section_name(module, i);
    if (strncmp(name, ".nv.global", 10) != 0 && strncmp(name, ".nv.constant3", 13) != 0) continue;
    module->memory[i] =
        mmap(NULL, section->sh_size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (module->memory[i] == MAP_FAILED) abort();
    if (section->sh_type != SHT_NOBITS) memcpy(module->memory[i], module->image + section->sh_offset, section->sh_size);
  }
}

// The records of .nv.info.NAME: one for each parameter, one for the block of them, one for the threads of a block.
static void read_info(struct function *function) {
  char name[4200];
  snprintf(name, sizeof name, ".nv.info.%s", function->name);
  const int index = find_section(function->module, name);
  if (index == 0) return;
  const Elf64_Shdr *section = &function->module->sections[index];
  const unsigned char *at = (unsigned char *)function->module->image + section->sh_offset, *end = at + section->sh_size;
  function->parameters = calloc(section->sh_size / 4 + 1, sizeof *function->parameters);
  while (at + 4 <= end) {
    uint16_t size, ordinal, offset;
    uint32_t flags;
    memcpy(&size, at + 2, 2);
    if (at[0] == kSized && at[1] == kOneParameter) {
      memcpy(&ordinal, at + 8, 2);
      memcpy(&offset, at + 10, 2);
      memcpy(&flags, at + 12, 4);
      function->parameters[ordinal] = (struct parameter){offset, flags >> 18};
      if (ordinal >= function->count) function->count = ordinal + 1u;
    } else if (at[0] == kSized && at[1] == kOneParameterWide) {
      uint16_t bytes;
      memcpy(&ordinal, at + 8, 2);
      memcpy(&offset, at + 10, 2);
      memcpy(&bytes, at + 12, 2);
      function->parameters[ordinal] = (struct parameter){offset, bytes};
      if (ordinal >= function->count) function->count = ordinal + 1u;
    } else if (at[0] == kSized && (at[1] == kMostThreads || at[1] == kRequiredThreads)) {
      uint32_t sides[3];
      memcpy(sides, at + 4, sizeof sides);
      const int threads = (int)(sides[0] * sides[1] * sides[2]);
      if (threads < function->most_threads) function->most_threads = threads;
    } else if (at[0] == kSized && at[1] == kParameterBlock) {
      uint16_t bytes;
      memcpy(&bytes, at + 10, 2);
      function->parameter_bytes = bytes;
    }
    at += at[0] == kSized ? 4 + size : 4;
  }
}

// The section .nv.info has registers by the symbol of a function, which the function's own section names.
static int registers_of(const struct module *module, uint32_t symbol) {
  const int index = find_section(module, ".nv.info");
  if (index == 0) return 0;
  const Elf64_Shdr *section = &module->sections[index];
  const unsigned char *at = (unsigned char *)module->image + section->sh_offset, *end = at + section->sh_size;
  while (at + 4 <= end) {
    uint16_t size;
    uint32_t words[2];
    memcpy(&size, at + 2, 2);
    if (at[0] == kSized && at[1] == kRegisters) {
      memcpy(words, at + 4, sizeof words);
      if (words[0] == symbol) return (int)words[1];
    }
    at += at[0] == kSized ? 4 + size : 4;
  }
  return 0;
}

// Registers come in units of 256 a warp, and a quarter of 65,536 to each quarter of an SM; so do warps.
static int threads_by_registers(int registers) {
  if (registers == 0) return 1024;
  const int unit = (registers * 32 + 255) / 256 * 256;
  const int threads = 65536 / 4 / unit * 4 * 32;
  return threads < 1024 ? threads : 1024;
}

static void read_functions(struct module *module) {
  module->functions = calloc(module->header->e_shnum, sizeof *module->functions);
  for (int i = 1; i < module->header->e_shnum; ++i) {
    const char *name = section_name(module, i);
    if (strncmp(name, ".text.", 6) != 0) continue;
    struct function *function = &module->functions[module->function_count++];
    char shared[4200];
    snprintf(shared, sizeof shared, ".nv.shared.%s", name + 6);
    const int index = find_section(module, shared);
    *function = (struct function){
        .name = strdup(name + 6),
        .module = module,
        .registers = registers_of(module, module->sections[i].sh_info & 0xFFFFFF),
        .static_shared = index != 0 ? (int)module->sections[index].sh_size - kReservedShared : 0,
    };
    function->most_threads = threads_by_registers(function->registers);
    function->dynamic_limit = 49152 - function->static_shared;
    read_info(function);
  }
}

CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image) {
  BEGIN("load");
  const Elf64_Ehdr *header = image;
  if (memcmp(image, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != kMachineCuda) {
    return CUDA_ERROR_INVALID_IMAGE;
  }
  struct module *made = calloc(1, sizeof *made);
  const size_t size = image_bytes(header);
  made->image = malloc(size);
  memcpy(made->image, image, size);
  made->header = (Elf64_Ehdr *)made->image;
  made->sections = (Elf64_Shdr *)(made->image + made->header->e_shoff);
  made->memory = calloc(made->header->e_shnum, sizeof *made->memory);
  place_data(made);
  read_functions(made);
  *module = (CUmodule)made;
  note("load", "\"bytes\": %zu", size);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                                    void **values) {
  (void)count, (void)options, (void)values;
  return cuModuleLoadData(module, image);
}

CUresult CUDAAPI cuModuleUnload(CUmodule module) {
  (void)module;  // the process is short
  BEGIN(NULL);
  note("unload", "");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule handle, const char *name) {
  BEGIN(NULL);
  struct module *module = (struct module *)handle;
  for (int i = 0; i < module->function_count; ++i) {
    if (strcmp(module->functions[i].name, name) == 0) {
      *function = (CUfunction)&module->functions[i];
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_NOT_FOUND;
}

typedef void (*Visit)(void *with, const char *name, char *address, size_t size);

static void each_variable(const struct module *module, Visit visit, void *with) {
  const int index = find_section(module, ".symtab");
  if (index == 0) return;
  const Elf64_Shdr *table = &module->sections[index];
  const Elf64_Sym *symbols = (const Elf64_Sym *)(module->image + table->sh_offset);
  const char *names = module->image + module->sections[table->sh_link].sh_offset;
  for (size_t i = 0; i < table->sh_size / sizeof *symbols; ++i) {
    const Elf64_Sym *symbol = &symbols[i];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_shndx >= module->header->e_shnum) continue;
    if (module->memory[symbol->st_shndx] == NULL) continue;
    visit(with, names + symbol->st_name, module->memory[symbol->st_shndx] + symbol->st_value, symbol->st_size);
  }
}

struct wanted {
  const char *name;
  char *address;
  size_t size;
};

static void look_for(void *with, const char *name, char *address, size_t size) {
  struct wanted *wanted = with;
  if (strcmp(name, wanted->name) == 0) *wanted = (struct wanted){wanted->name, address, size};
}

CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *address, size_t *size, CUmodule module, const char *name) {
  BEGIN(NULL);
  struct wanted wanted = {name, NULL, 0};
  each_variable((struct module *)module, look_for, &wanted);
  if (wanted.address == NULL) return CUDA_ERROR_NOT_FOUND;
  if (address != NULL) *address = (CUdeviceptr)wanted.address;
  if (size != NULL) *size = wanted.size;
  note("symbol", "\"name\": \"%s\", \"address\": %llu, \"bytes\": %zu", name, (CUdeviceptr)wanted.address, wanted.size);
  return CUDA_SUCCESS;
}

enum { kShown = 4096 };  // bytes of one variable

static void show(void *with, const char *name, char *address, size_t size) {
  note_hex(with, name, address, size < kShown ? size : kShown);
}

void note_symbols(FILE *line, const struct module *module) {
  if (!scripted("symbols", 0)) return;
  fputs(", \"symbols\": {\"\": \"\"", line);
  each_variable(module, show, line);
  fputc('}', line);
}

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle) {
  BEGIN(NULL);
  const struct function *function = (struct function *)handle;
  const int found[CU_FUNC_ATTRIBUTE_MAX] = {
      [CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = function->most_threads,
      [CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = function->static_shared,
      [CU_FUNC_ATTRIBUTE_NUM_REGS] = function->registers,
      [CU_FUNC_ATTRIBUTE_PTX_VERSION] = 90,
      [CU_FUNC_ATTRIBUTE_BINARY_VERSION] = 90,
      [CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = function->dynamic_limit,
      [CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = function->carve_out,
      [CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = function->non_portable,
  };
  if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) return CUDA_ERROR_INVALID_VALUE;
  *value = (int)scripted_at("function_attribute", (int)attribute, found[attribute]);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  BEGIN(NULL);
  struct function *function = (struct function *)handle;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || value + function->static_shared > 232448) return CUDA_ERROR_INVALID_VALUE;
    function->dynamic_limit = value;
  } else if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
    function->non_portable = value;
  } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    function->carve_out = value;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  note("attribute", "\"function\": \"%s\", \"number\": %d, \"value\": %d", function->name, (int)attribute, value);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size) {
  BEGIN(NULL);
  const struct function *function = (struct function *)handle;
  if (index >= function->count) return CUDA_ERROR_INVALID_VALUE;
  *offset = function->parameters[index].offset;
  if (size != NULL) *size = function->parameters[index].size;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared) {
  (void)function, (void)threads, (void)shared;
  BEGIN(NULL);
  *blocks = (int)scripted("blocks_per_sm", 1);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
                                                                      size_t shared, unsigned int flags) {
  (void)flags;
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}

CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads) {
  (void)function, (void)blocks, (void)threads;
  BEGIN(NULL);
  *bytes = (size_t)scripted("shared_room", 49152);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config) {
  (void)function, (void)config;
  BEGIN(NULL);
  *size = (int)scripted("largest_cluster", 8);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuOccupancyMaxActiveClusters(int *count, CUfunction function, const CUlaunchConfig *config) {
  (void)function, (void)config;
  BEGIN(NULL);
  *count = (int)scripted("active_clusters", 66);
  return CUDA_SUCCESS;
}
