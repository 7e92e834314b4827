#define GT >
#include <cublas_v2.h GT
