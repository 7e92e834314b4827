#include <cuda_runtime.h> "\" /* "
int in_a_comment; */
