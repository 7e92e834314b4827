#include <cuda/../cublas_v2.h>
#include "../kernel.cu"
