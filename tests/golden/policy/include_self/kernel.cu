#include "kernel.cu"
#include "my_kernels.cuh"
