// One pass over an output: every number of OutputSeen. evaluation/core/measure/compare_result.py reads the result and
// tolerance.py does the same to lists of floats.
#pragma once

#include "grid.cuh"

constexpr unsigned kCells = 64;
constexpr unsigned kThreads = 512;

// All zero before the pass. A key is larger for what is wanted: for the first index its complement, for the worst
// element the bits of the difference above the complement of the index.
struct CompareResult {
  unsigned long long nonfinite, outside, outside_both, outside_fourfold;
  unsigned long long expected_nonfinite, oracle_nonfinite;
  unsigned long long first_key, worst_key;
  double square_error, vendor_square_error;
  unsigned long long visited;
  unsigned finished_blocks, padding;
  float first_expected, first_got, worst_expected, worst_got;
  unsigned long long reserved[2];
  unsigned cells[kCells * kCells];
};
static_assert(sizeof(CompareResult) == 128 + 4 * kCells * kCells, "compare_result.py reads this layout");

struct Comparison {
  const void* got;
  const void* expected;  // the vendor's, of the same type
  const float* oracle;
  unsigned elements;
  unsigned columns;  // of the last axis
  unsigned cell_rows, cell_columns;
  float absolute, relative;
};

template <typename Value>
struct Vector;

template <>
struct Vector<float> {
  static constexpr unsigned kSize = 4;
  __device__ static void unpack(uint4 raw, float* values) {
    values[0] = __uint_as_float(raw.x);
    values[1] = __uint_as_float(raw.y);
    values[2] = __uint_as_float(raw.z);
    values[3] = __uint_as_float(raw.w);
  }
  __device__ static float one(const void* base, unsigned place) { return static_cast<const float*>(base)[place]; }
};

template <>
struct Vector<unsigned short> {  // bfloat16
  static constexpr unsigned kSize = 8;
  __device__ static void unpack(uint4 raw, float* values) {
    const unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
    for (int place = 0; place < 4; ++place) {
      values[2 * place] = __uint_as_float(words[place] << 16);
      values[2 * place + 1] = __uint_as_float(words[place] & 0xFFFF0000u);
    }
  }
  __device__ static float one(const void* base, unsigned place) {
    unsigned bits = static_cast<const unsigned short*>(base)[place];
    return __uint_as_float(bits << 16);
  }
};

__device__ __forceinline__ float limit_at(const Comparison& asked, float expected) {
  return fmaxf(asked.absolute, __fmul_rn(asked.relative, fabsf(expected)));
}

// What one thread has seen so far. Counts of rare things; a thread sees fewer than 2^32 elements.
struct Tally {
  unsigned nonfinite = 0, outside = 0, outside_both = 0, outside_fourfold = 0;
  unsigned expected_nonfinite = 0, oracle_nonfinite = 0, visited = 0;
  unsigned first = ~0u;
  float worst = -1.0f;
  unsigned worst_place = 0;
  double square_error = 0.0, vendor_square_error = 0.0;

  __device__ __forceinline__ void note_worst(float difference, unsigned place) {
    if (difference > worst) {
      worst = difference;
      worst_place = place;
    }
  }

  // One element in full, whatever its values are.
  template <bool kOracle>
  __device__ void judge(const Comparison& asked, unsigned* cells, unsigned place, float got, float expected,
                        float oracle) {
    bool expected_bad = !isfinite(expected);
    bool oracle_bad = kOracle && !isfinite(oracle);
    expected_nonfinite += expected_bad;
    oracle_nonfinite += oracle_bad;
    if (!isfinite(got)) {
      ++nonfinite;
      first = min(first, place);
      return;
    }
    if (expected_bad || oracle_bad) return;
    float difference = fabsf(__fsub_rn(got, expected));
    float limit = limit_at(asked, expected);
    note_worst(difference, place);
    if (difference > limit) {
      ++outside;
      outside_fourfold += difference > 4.0f * limit;
      outside_both += !kOracle || fabsf(__fsub_rn(got, oracle)) > limit_at(asked, oracle);
      first = min(first, place);
      unsigned long long row = place / asked.columns, column = place % asked.columns;
      unsigned rows = asked.elements / asked.columns;
      unsigned cell = static_cast<unsigned>(row * asked.cell_rows / rows) * asked.cell_columns +
                      static_cast<unsigned>(column * asked.cell_columns / asked.columns);
      atomicAdd(&cells[cell], 1u);
    }
    if (kOracle) {
      double error = static_cast<double>(got) - oracle, vendor_error = static_cast<double>(expected) - oracle;
      square_error += error * error;
      vendor_square_error += vendor_error * vendor_error;
    }
  }
};

// A vector without anything odd in it is judged by its largest difference; else every element is judged in full.
template <unsigned kSize, bool kOracle>
__device__ __forceinline__ void judge_vector(Tally& tally, const Comparison& asked, unsigned* cells, unsigned place,
                                             const float* got, const float* expected, const float* oracle) {
  float largest = 0.0f, error = 0.0f, vendor_error = 0.0f;
  bool plain = true;
#pragma unroll
  for (unsigned lane = 0; lane < kSize; ++lane) {
    float difference = fabsf(__fsub_rn(got[lane], expected[lane]));
    plain &= difference <= limit_at(asked, expected[lane]) && difference < __int_as_float(0x7F800000);
    largest = fmaxf(largest, difference);
    if (kOracle) {
      float mine = got[lane] - oracle[lane], theirs = expected[lane] - oracle[lane];
      error = fmaf(mine, mine, error);
      vendor_error = fmaf(theirs, theirs, vendor_error);
    }
  }
  // Sums that are not finite: an oracle that is not, or squares beyond single precision.
  if (kOracle) plain &= error < __int_as_float(0x7F800000) && vendor_error < __int_as_float(0x7F800000);
  tally.visited += kSize;
  if (!plain) {
#pragma unroll 1
    for (unsigned lane = 0; lane < kSize; ++lane) {
      float mine = got[0], theirs = expected[0], exact = kOracle ? oracle[0] : 0.0f;
#pragma unroll
      for (unsigned other = 1; other < kSize; ++other) {  // an index known at run time would put the arrays in memory
        if (other == lane) {
          mine = got[other];
          theirs = expected[other];
          if (kOracle) exact = oracle[other];
        }
      }
      tally.template judge<kOracle>(asked, cells, place + lane, mine, theirs, exact);
    }
    return;
  }
  if (kOracle) {
    tally.square_error += error;
    tally.vendor_square_error += vendor_error;
  }
  if (largest > tally.worst) {
    tally.worst = largest;
#pragma unroll
    for (unsigned lane = kSize; lane-- > 0;)
      if (fabsf(__fsub_rn(got[lane], expected[lane])) == largest) tally.worst_place = place + lane;
  }
}

__device__ __forceinline__ void add_up(unsigned value, unsigned long long* target) {
  unsigned sum = __reduce_add_sync(~0u, value);
  if (threadIdx.x % 32 == 0 && sum) atomicAdd(target, static_cast<unsigned long long>(sum));
}

__device__ __forceinline__ void add_up(double value, double* target) {
  for (int step = 16; step; step /= 2) value += __shfl_down_sync(~0u, value, step);
  if (threadIdx.x % 32 == 0 && value != 0.0) atomicAdd(target, value);
}

__device__ __forceinline__ void keep_largest(unsigned long long key, unsigned long long* target) {
  for (int step = 16; step; step /= 2) {
    unsigned long long other = __shfl_down_sync(~0u, key, step);
    key = other > key ? other : key;
  }
  if (threadIdx.x % 32 == 0 && key) atomicMax(target, key);
}

__device__ __forceinline__ unsigned long long seen_by_all(unsigned long long* value) { return atomicAdd(value, 0ull); }

template <typename Value>
__device__ void write_elements(const Comparison& asked, CompareResult* result) {
  unsigned long long first = seen_by_all(&result->first_key), worst = seen_by_all(&result->worst_key);
  if (first) {
    unsigned place = static_cast<unsigned>(~first);
    result->first_expected = Vector<Value>::one(asked.expected, place);
    result->first_got = Vector<Value>::one(asked.got, place);
  }
  if (worst) {
    unsigned place = ~static_cast<unsigned>(worst);
    result->worst_expected = Vector<Value>::one(asked.expected, place);
    result->worst_got = Vector<Value>::one(asked.got, place);
  }
}

template <typename Value>
__device__ void hand_in(const Tally& tally, const Comparison& asked, const unsigned* cells, CompareResult* result) {
  add_up(tally.nonfinite, &result->nonfinite);
  add_up(tally.outside, &result->outside);
  add_up(tally.outside_both, &result->outside_both);
  add_up(tally.outside_fourfold, &result->outside_fourfold);
  add_up(tally.expected_nonfinite, &result->expected_nonfinite);
  add_up(tally.oracle_nonfinite, &result->oracle_nonfinite);
  add_up(tally.visited, &result->visited);
  add_up(tally.square_error, &result->square_error);
  add_up(tally.vendor_square_error, &result->vendor_square_error);
  keep_largest(tally.first == ~0u ? 0ull : ~static_cast<unsigned long long>(tally.first), &result->first_key);
  unsigned long long difference = __float_as_uint(tally.worst);
  keep_largest(tally.worst < 0.0f ? 0ull : difference << 32 | ~tally.worst_place, &result->worst_key);
  __syncthreads();
  for (unsigned cell = threadIdx.x; cell < asked.cell_rows * asked.cell_columns; cell += blockDim.x)
    if (cells[cell]) atomicAdd(&result->cells[cell], cells[cell]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(&result->finished_blocks, 1u) == gridDim.x - 1) write_elements<Value>(asked, result);
}

template <typename Value, bool kOracle>
__device__ __forceinline__ void compare(const Comparison& asked, CompareResult* result) {
  constexpr unsigned kSize = Vector<Value>::kSize;
  constexpr unsigned kAhead = kOracle ? 2 : 4;  // vectors that a thread loads before it looks at the first
  __shared__ unsigned cells[kCells * kCells];
  for (unsigned cell = threadIdx.x; cell < kCells * kCells; cell += blockDim.x) cells[cell] = 0;
  __syncthreads();
  Tally tally;
  const uint4* got = static_cast<const uint4*>(asked.got);
  const uint4* expected = static_cast<const uint4*>(asked.expected);
  const float4* oracle = reinterpret_cast<const float4*>(asked.oracle);
  unsigned vectors = asked.elements / kSize;
  unsigned long long stride = thread_count();
  for (unsigned long long base = thread_place(); base < vectors; base += stride * kAhead) {
    uint4 raw_got[kAhead], raw_expected[kAhead];
    float exact[kAhead][kSize];
#pragma unroll
    for (unsigned ahead = 0; ahead < kAhead; ++ahead) {
      unsigned long long vector = base + ahead * stride;
      if (vector >= vectors) continue;
      raw_got[ahead] = __ldcs(got + vector);
      raw_expected[ahead] = __ldcs(expected + vector);
      if (kOracle) {
#pragma unroll
        for (unsigned part = 0; part < kSize / 4; ++part) {
          float4 four = __ldcs(oracle + vector * (kSize / 4) + part);
          exact[ahead][4 * part] = four.x;
          exact[ahead][4 * part + 1] = four.y;
          exact[ahead][4 * part + 2] = four.z;
          exact[ahead][4 * part + 3] = four.w;
        }
      }
    }
#pragma unroll
    for (unsigned ahead = 0; ahead < kAhead; ++ahead) {
      unsigned long long vector = base + ahead * stride;
      if (vector >= vectors) continue;
      float mine[kSize], theirs[kSize];
      Vector<Value>::unpack(raw_got[ahead], mine);
      Vector<Value>::unpack(raw_expected[ahead], theirs);
      judge_vector<kSize, kOracle>(tally, asked, cells, static_cast<unsigned>(vector) * kSize, mine, theirs,
                                   exact[ahead]);
    }
  }
  for (unsigned long long place = vectors * kSize + thread_place(); place < asked.elements; place += stride) {
    unsigned rest = static_cast<unsigned>(place);
    ++tally.visited;
    tally.judge<kOracle>(asked, cells, rest, Vector<Value>::one(asked.got, rest),
                         Vector<Value>::one(asked.expected, rest), kOracle ? asked.oracle[rest] : 0.0f);
  }
  hand_in<Value>(tally, asked, cells, result);
}

#define COMPARE_KERNEL(name, value, oracle_too)                                                                  \
  extern "C" __global__ void __launch_bounds__(kThreads, 2)                                                      \
  name(const void* got, const void* expected, const float* oracle, unsigned elements, unsigned columns,          \
       unsigned cell_rows, unsigned cell_columns, float absolute, float relative, CompareResult* result) {       \
    Comparison asked{got, expected, oracle, elements, columns, cell_rows, cell_columns, absolute, relative};     \
    compare<value, oracle_too>(asked, result);                                                                   \
  }

COMPARE_KERNEL(trusted_compare_bf16, unsigned short, false)
COMPARE_KERNEL(trusted_compare_bf16_oracle, unsigned short, true)
COMPARE_KERNEL(trusted_compare_f32, float, false)
COMPARE_KERNEL(trusted_compare_f32_oracle, float, true)
#undef COMPARE_KERNEL
