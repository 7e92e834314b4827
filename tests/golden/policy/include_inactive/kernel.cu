#if 0
#include <cublas_v2.h>
#endif
