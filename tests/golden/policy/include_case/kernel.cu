#include <CUBLAS_V2.H>
#include <Cuda_Runtime.h>
