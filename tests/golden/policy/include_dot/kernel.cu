#include <./cublas.h>
