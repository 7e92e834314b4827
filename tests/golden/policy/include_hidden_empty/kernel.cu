#define NOTHING
NOTHING #include <cublas_v2.h>
