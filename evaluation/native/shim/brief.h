// What the recorder tells the driver and the shim, as evaluation/core/record/brief.py writes it.
#pragma once

#include <cstdint>

#include "arena.h"

namespace ptxboard {

struct Parameter {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

// One entry function of the judge's own cubin; sizes in bytes.
struct KernelFacts {
  Text name;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t registers = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t local = 0;
  std::uint32_t max_threads = 0;  // by __launch_bounds__; 0 where the cubin does not say
  std::uint32_t barriers = 0;     // named barriers that a block takes
  std::uint32_t cluster[3] = {};  // 0 0 0 where the kernel fixes none
  std::uint32_t block[3] = {};    // the only block allowed; 0 0 0 where the kernel fixes none
  List<Parameter> parameters;
};

struct SymbolFacts {
  Text name;
  std::uint64_t size = 0;
  bool constant = false;
};

// `count` groups of so many SMs; the blocks of a cluster share one group.
struct ClusterGroup {
  std::uint32_t processors = 0;
  std::uint32_t count = 0;
};

// The table of one product; 0 or an empty name is "the table does not say".
struct DeviceTable {
  static constexpr std::uint32_t attribute_limit = 256;
  Text name;
  std::uint64_t memory_bytes = 0;
  std::uint32_t portable_cluster = 0;
  std::uint32_t largest_cluster = 0;
  List<ClusterGroup> cluster_groups;  // empty where nobody measured
  bool known[attribute_limit] = {};
  std::int64_t values[attribute_limit] = {};

  bool knows(std::int64_t number) const { return number >= 0 && number < attribute_limit && known[number]; }
  // The value of an attribute that brief.py always states.
  std::uint64_t value(std::uint32_t number) const { return static_cast<std::uint64_t>(values[number]); }
};

// One argument of `run`.
struct Argument {
  enum class Kind { tensor, integer, real };
  static constexpr std::uint32_t rank_limit = 8;
  Kind kind = Kind::integer;
  std::uint8_t type_code = 0;  // DLDataTypeCode
  std::uint8_t type_bits = 0;
  std::uint32_t rank = 0;
  std::int64_t shape[rank_limit] = {};
  std::int64_t integer = 0;
  double real = 0;
};

struct Brief {
  std::uint64_t seed = 0;
  std::uint32_t process = 0;  // 0 or 1: which of the two token bases of everything is used
  std::uint32_t calls = 0;
  std::uint32_t fill = 0;  // the byte that memory holds which nobody has written
  std::uint32_t sm = 0;
  DeviceTable device;
  List<KernelFacts> kernels;
  List<SymbolFacts> symbols;
  List<Argument> arguments;

  const KernelFacts* kernel(Text name) const;
  const SymbolFacts* symbol(Text name) const;
};

// Reads a brief from an open descriptor. Ends the process as our own fault if anything in it is wrong.
void read_brief(int descriptor, Brief* brief);

}  // namespace ptxboard
