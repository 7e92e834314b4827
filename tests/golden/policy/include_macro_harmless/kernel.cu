#define HEADER <cuda_runtime.h>
#include HEADER
