int a = sizeof("a"R"x(b
#include <cublas_v2.h>
)x");
