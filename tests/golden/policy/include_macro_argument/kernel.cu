#define F(x) x
F(
#include <cublas_v2.h>
)
