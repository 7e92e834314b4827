// What cuTensorMapEncodeTiled and Im2col accept and refuse.
#pragma once

#include "report.h"

struct Encode {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  cuuint32_t rank = 2;
  uint64_t address = 0;
  cuuint64_t dims[5] = {1024, 512, 4, 4, 4};
  cuuint64_t strides[4] = {2048, 2048 * 512, 2048 * 512 * 4, 2048 * 512 * 16};
  cuuint32_t box[5] = {64, 64, 1, 1, 1};
  cuuint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapL2promotion l2 = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

  CUresult tiled() const {
    alignas(64) CUtensorMap map;
    return cuTensorMapEncodeTiled(&map, type, rank, reinterpret_cast<void*>(address), dims, strides, box, steps,
                                  interleave, swizzle, l2, fill);
  }
};

template <typename Change>
void encode(const char* name, uint64_t address, Change change) {
  Encode one;
  one.address = address;
  change(one);
  result(name, one.tiled());
}

void report_tensor_maps() {
  topic = "map";
  char* memory = nullptr;
  cudaMalloc(&memory, 64 << 20);
  auto const base = reinterpret_cast<uint64_t>(memory);
  using E = Encode;
  encode("usual", base, [](E&) {});
  encode("address + 16", base, [](E& e) { e.address += 16; });
  encode("address + 8", base, [](E& e) { e.address += 8; });
  encode("address 0", base, [](E& e) { e.address = 0; });
  encode("address of nothing", base, [](E& e) { e.address = 0x10000000000; });
  encode("rank 0", base, [](E& e) { e.rank = 0; });
  encode("rank 1", base, [](E& e) { e.rank = 1; });
  encode("rank 5", base, [](E& e) { e.rank = 5; });
  encode("rank 6", base, [](E& e) { e.rank = 6; });
  encode("dim 0", base, [](E& e) { e.dims[1] = 0; });
  encode("dim 2^32", base, [](E& e) { e.dims[1] = 1ull << 32; });
  encode("dim 2^32 + 1", base, [](E& e) { e.dims[1] = (1ull << 32) + 1; });
  encode("stride 2056", base, [](E& e) { e.strides[0] = 2056; });
  encode("stride 16", base, [](E& e) { e.strides[0] = 16; });
  encode("stride 0", base, [](E& e) { e.strides[0] = 0; });
  encode("stride 2^40", base, [](E& e) { e.strides[0] = 1ull << 40; });
  encode("stride 2^40 - 16", base, [](E& e) { e.strides[0] = (1ull << 40) - 16; });
  encode("box 0", base, [](E& e) { e.box[1] = 0; });
  encode("box 256", base, [](E& e) { e.box[1] = 256; });
  encode("box 257", base, [](E& e) { e.box[1] = 257; });
  encode("inner box 128 swizzle 128", base, [](E& e) { e.box[0] = 128; });
  encode("inner box 32 swizzle 64", base, [](E& e) { e.box[0] = 32; e.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; });
  encode("inner box 64 swizzle 64", base, [](E& e) { e.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; });
  encode("inner box 64 swizzle 32", base, [](E& e) { e.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; });
  encode("inner box 7", base, [](E& e) { e.box[0] = 7; });
  encode("inner box 8 no swizzle", base, [](E& e) { e.box[0] = 8; e.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; });
  encode("inner box 256 no swizzle", base, [](E& e) { e.box[0] = 256; e.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; });
  encode("whole box 256 by 256", base, [](E& e) { e.box[0] = e.box[1] = 256; e.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; });
  encode("box beyond dims", base, [](E& e) { e.dims[1] = 16; });
  encode("step 0", base, [](E& e) { e.steps[1] = 0; });
  encode("step 8", base, [](E& e) { e.steps[1] = 8; });
  encode("step 9", base, [](E& e) { e.steps[1] = 9; });
  encode("inner step 2", base, [](E& e) { e.steps[0] = 2; });
  encode("type 13", base, [](E& e) { e.type = CUtensorMapDataType(13); });
  encode("type 16", base, [](E& e) { e.type = CUtensorMapDataType(16); });
  encode("type 99", base, [](E& e) { e.type = CUtensorMapDataType(99); });
  encode("swizzle 9", base, [](E& e) { e.swizzle = CUtensorMapSwizzle(9); });
  encode("swizzle 4", base, [](E& e) { e.swizzle = CUtensorMapSwizzle(4); });
  encode("l2 9", base, [](E& e) { e.l2 = CUtensorMapL2promotion(9); });
  encode("fill nan", base, [](E& e) { e.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; });
  encode("fill nan of integers", base, [](E& e) { e.type = CU_TENSOR_MAP_DATA_TYPE_UINT16; e.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; });
  encode("interleave 16 of rank 2", base, [](E& e) { e.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; });
  encode("interleave 16 of rank 3", base, [](E& e) { e.rank = 3; e.interleave = CU_TENSOR_MAP_INTERLEAVE_16B; e.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; e.box[0] = 8; });
  encode("interleave 32 of rank 3", base, [](E& e) { e.rank = 3; e.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; e.swizzle = CU_TENSOR_MAP_SWIZZLE_32B; e.box[0] = 16; });
  encode("interleave 32 swizzle none", base, [](E& e) { e.rank = 3; e.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; e.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; e.box[0] = 16; });
  alignas(64) unsigned char room[192];
  Encode one;
  result("map at 32", cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap*>(room + 32), one.type, 2, memory, one.dims, one.strides, one.box, one.steps, one.interleave, one.swizzle, one.l2, one.fill));
  result("no map", cuTensorMapEncodeTiled(nullptr, one.type, 2, memory, one.dims, one.strides, one.box, one.steps, one.interleave, one.swizzle, one.l2, one.fill));
  result("no dims", cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap*>(room), one.type, 2, memory, nullptr, one.strides, one.box, one.steps, one.interleave, one.swizzle, one.l2, one.fill));
  result("no strides, rank 1", cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap*>(room), one.type, 1, memory, one.dims, nullptr, one.box, one.steps, one.interleave, one.swizzle, one.l2, one.fill));
  result("map", cuTensorMapEncodeTiled(reinterpret_cast<CUtensorMap*>(room), one.type, 2, memory, one.dims, one.strides, one.box, one.steps, one.interleave, one.swizzle, one.l2, one.fill));
  result("replace", cuTensorMapReplaceAddress(reinterpret_cast<CUtensorMap*>(room), memory + 256));
  result("replace unaligned", cuTensorMapReplaceAddress(reinterpret_cast<CUtensorMap*>(room), memory + 8));
  result("replace with null", cuTensorMapReplaceAddress(reinterpret_cast<CUtensorMap*>(room), nullptr));
  int lower[3] = {-1, -1, 0}, upper[3] = {-1, -1, 0};
  cuuint64_t dims[4] = {64, 56, 56, 8}, strides[3] = {128, 128 * 56, 128 * 56 * 56};
  auto im2col = [&](const char* name, cuuint32_t rank, unsigned channels, unsigned pixels, CUtensorMapSwizzle swizzle) {
    result(name, cuTensorMapEncodeIm2col(reinterpret_cast<CUtensorMap*>(room), one.type, rank, memory, dims, strides, lower, upper, channels, pixels, one.steps, one.interleave, swizzle, one.l2, one.fill));
  };
  im2col("im2col", 4, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B);
  im2col("im2col rank 2", 2, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B);
  im2col("im2col channels 257", 4, 257, 128, CU_TENSOR_MAP_SWIZZLE_NONE);
  im2col("im2col pixels 1025", 4, 64, 1025, CU_TENSOR_MAP_SWIZZLE_128B);
  im2col("im2col pixels 0", 4, 64, 0, CU_TENSOR_MAP_SWIZZLE_128B);
  im2col("im2col channels 128", 4, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  lower[0] = -129;
  im2col("im2col corner -129", 4, 64, 128, CU_TENSOR_MAP_SWIZZLE_128B);
  cudaFree(memory);
}
