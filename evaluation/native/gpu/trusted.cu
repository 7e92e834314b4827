// The judge's own kernels, one image a target. Names, parameters and block sizes are repeated in
// evaluation/adapters/gpu/trusted_kernels.py; results are read by evaluation/core/measure. Nothing here is a candidate's.
#include "generate.cuh"
#include "hash.cuh"
#include "compare.cuh"
#include "cache.cuh"
#include "canary.cuh"
#include "scrub.cuh"
#include "matrix.cuh"
#include "spin.cuh"
