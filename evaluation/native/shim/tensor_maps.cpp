// Tensor maps: the author gets a token of 128 bytes, the recording the arguments. What is accepted was measured on an
// H200 (CUDA 13.0, driver 580); types and swizzles that only newer devices know are accepted for those.
#include <cstring>

#include "api.h"
#include "ending.h"
#include "faults.h"
#include "journal.h"
#include "state.h"

namespace ptxboard {
namespace {

constexpr std::uint32_t map_limit = 8192;
constexpr std::uint32_t rank_limit = 5;
constexpr std::uint64_t dim_limit = std::uint64_t{1} << 32;
constexpr std::uint64_t stride_limit = std::uint64_t{1} << 40;

struct Map {
  bool im2col = false;
  std::uint32_t type = 0;
  std::uint32_t rank = 0;
  std::uint64_t address = 0;
  cuuint64_t dims[rank_limit] = {};
  cuuint64_t strides[rank_limit] = {};
  cuuint32_t box[rank_limit] = {};
  cuuint32_t steps[rank_limit] = {};
  std::int32_t lower[rank_limit] = {};
  std::int32_t upper[rank_limit] = {};
  std::uint32_t channels = 0;
  std::uint32_t pixels = 0;
  std::uint32_t interleave = 0;
  std::uint32_t swizzle = 0;
  std::uint32_t l2 = 0;
  std::uint32_t fill = 0;
};

List<Map>& maps() {
  static List<Map> all;
  static bool begun = false;
  if (!begun) all.reserve(map_limit);
  begun = true;
  return all;
}

std::uint64_t element_bytes(std::uint32_t type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B:
    case CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B:
    case CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B:
      return 0;  // packed: sixteen values are the unit
    default:
      return 4;
  }
}

bool is_floating(std::uint32_t type) {
  return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 && type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

bool is_newer_device() { return state().brief.sm >= 100; }

bool words_are_known(const Map& map) {
  std::uint32_t const last_type =
      is_newer_device() ? CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B : CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
  std::uint32_t const last_swizzle =
      is_newer_device() ? CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B : CU_TENSOR_MAP_SWIZZLE_128B;
  if (map.type > last_type || map.swizzle > last_swizzle || map.interleave > CU_TENSOR_MAP_INTERLEAVE_32B) return false;
  if (map.l2 > CU_TENSOR_MAP_L2_PROMOTION_L2_256B || map.fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA) return false;
  return map.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || is_floating(map.type);
}

// Bytes of the innermost extent of a box against the alignment of transfers and the span of the swizzle.
bool inner_extent_fits(const Map& map, std::uint64_t elements) {
  std::uint64_t const bytes = elements * element_bytes(map.type);
  if (map.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || bytes == 0) return true;
  if (bytes % 16 != 0) return false;
  if (map.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE) return true;
  std::uint64_t const span = map.swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? 32 : map.swizzle == CU_TENSOR_MAP_SWIZZLE_64B ? 64 : 128;
  return bytes <= span;
}

bool tensor_is_possible(const Map& map) {
  std::uint64_t const unit = map.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
  if (map.address % unit != 0) return false;
  for (std::uint32_t i = 0; i < map.rank; i++) {
    if (map.dims[i] == 0 || map.dims[i] > dim_limit || map.steps[i] == 0 || map.steps[i] > 8) return false;
    if (i + 1 < map.rank && (map.strides[i] % unit != 0 || map.strides[i] >= stride_limit)) return false;
  }
  return true;
}

bool box_is_possible(const Map& map) {
  if (map.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && map.rank < 3) return false;
  for (std::uint32_t i = 0; i < map.rank; i++) {
    if (map.box[i] == 0 || map.box[i] > 256) return false;
  }
  return inner_extent_fits(map, map.box[0]);
}

bool window_is_possible(const Map& map) {
  if (map.rank < 3 || map.channels == 0 || map.channels > 256 || map.pixels == 0 || map.pixels > 1024) return false;
  std::int32_t const reach = map.rank == 3 ? 1 << 15 : map.rank == 4 ? 1 << 7 : 1 << 4;
  for (std::uint32_t i = 0; i + 2 < map.rank; i++) {
    if (map.lower[i] < -reach || map.lower[i] >= reach || map.upper[i] < -reach || map.upper[i] >= reach) return false;
  }
  return inner_extent_fits(map, map.channels);
}

void write_map(std::uint32_t id, const Map& map) {
  Line line("map");
  line.number("id", id).text("mode", map.im2col ? "im2col" : "tiled").number("data_type", map.type);
  line.number("rank", map.rank).number("address", map.address);
  line.numbers("dims", map.dims, map.rank).numbers("strides", map.strides, map.rank - 1);
  line.numbers("box", map.box, map.im2col ? 0 : map.rank).numbers("element_strides", map.steps, map.rank);
  line.number("interleave", map.interleave).number("swizzle", map.swizzle).number("l2", map.l2).number("fill", map.fill);
  if (!map.im2col) return;
  line.numbers("lower", map.lower, map.rank - 2).numbers("upper", map.upper, map.rank - 2);
  line.number("channels", map.channels).number("pixels", map.pixels);
}

// The 128 bytes that stand for map `id`; docs/recording.md says how they are made.
void make_token(std::uint64_t id, std::uint64_t token[16]) {
  Tokens const& tokens = state().tokens;
  token[0] = tokens.nonce_low;
  token[1] = tokens.nonce_high;
  token[2] = id;
  std::uint64_t const start = mix(tokens.nonce_low ^ mix(tokens.nonce_high ^ mix(id)));
  for (std::uint64_t i = 0; i < 13; i++) token[3 + i] = mix(start + (i + 1) * golden);
}

CUresult hand_out(const Map& map, CUtensorMap* into) {
  std::uint32_t const id = maps().size();
  Map* const added = maps().add();
  if (added == nullptr) refuse("cuTensorMapEncode", "more than %u tensor maps", map_limit);
  *added = map;
  std::uint64_t token[16];
  static_assert(sizeof token == sizeof(CUtensorMap));
  make_token(id, token);
  if (!store(into, token, sizeof token)) return CUDA_ERROR_INVALID_VALUE;
  write_map(id, map);
  return CUDA_SUCCESS;
}

// Takes over what both kinds of maps have in common.
bool take_tensor(Map* map, const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* steps) {
  if (map->rank < 1 || map->rank > rank_limit || strides == nullptr) return false;
  return fetch(map->dims, dims, sizeof(cuuint64_t) * map->rank) &&
         fetch(map->strides, strides, sizeof(cuuint64_t) * (map->rank - 1)) &&
         fetch(map->steps, steps, sizeof(cuuint32_t) * map->rank) && tensor_is_possible(*map) && words_are_known(*map);
}

}  // namespace
}  // namespace ptxboard

#pragma GCC visibility push(default)

using namespace ptxboard;

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* into, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  Map map;
  map.type = static_cast<std::uint32_t>(type);
  map.rank = rank;
  map.address = reinterpret_cast<std::uint64_t>(address);
  map.interleave = static_cast<std::uint32_t>(interleave);
  map.swizzle = static_cast<std::uint32_t>(swizzle);
  map.l2 = static_cast<std::uint32_t>(l2);
  map.fill = static_cast<std::uint32_t>(fill);
  if (into == nullptr || !take_tensor(&map, dims, strides, steps)) return CUDA_ERROR_INVALID_VALUE;
  if (!fetch(map.box, box, sizeof(cuuint32_t) * rank) || !box_is_possible(map)) return CUDA_ERROR_INVALID_VALUE;
  return hand_out(map, into);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* into, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                 const cuuint64_t* dims, const cuuint64_t* strides, const int* lower, const int* upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t* steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  Map map;
  map.im2col = true;
  map.type = static_cast<std::uint32_t>(type);
  map.rank = rank;
  map.address = reinterpret_cast<std::uint64_t>(address);
  map.channels = channels;
  map.pixels = pixels;
  map.interleave = static_cast<std::uint32_t>(interleave);
  map.swizzle = static_cast<std::uint32_t>(swizzle);
  map.l2 = static_cast<std::uint32_t>(l2);
  map.fill = static_cast<std::uint32_t>(fill);
  if (into == nullptr || rank < 3 || !take_tensor(&map, dims, strides, steps)) return CUDA_ERROR_INVALID_VALUE;
  if (!fetch(map.lower, lower, sizeof(int) * (rank - 2)) || !fetch(map.upper, upper, sizeof(int) * (rank - 2)) ||
      !window_is_possible(map)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return hand_out(map, into);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* changed, void* address) {
  std::uint64_t found[16];
  if (!fetch(found, changed, sizeof found)) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t expected[16];
  make_token(found[2], expected);
  if (found[2] >= maps().size() || std::memcmp(found, expected, sizeof found) != 0) {
    refuse("cuTensorMapReplaceAddress", "the bytes are not those of a map that cuTensorMapEncode made");
  }
  Map map = maps()[static_cast<std::uint32_t>(found[2])];
  map.address = reinterpret_cast<std::uint64_t>(address);
  if (address == nullptr || !tensor_is_possible(map)) return CUDA_ERROR_INVALID_VALUE;
  return hand_out(map, changed);
}

}  // extern "C"

#pragma GCC visibility pop
