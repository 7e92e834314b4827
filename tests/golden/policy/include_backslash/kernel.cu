#include "cub\cub.cuh"
