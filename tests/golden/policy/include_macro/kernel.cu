#define VENDOR <cublas_v2.h>
#include VENDOR
