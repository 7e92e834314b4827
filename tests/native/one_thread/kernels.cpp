#include "cuda.h"

#include "generate.cuh"
#include "hash.cuh"
#include "compare.cuh"
