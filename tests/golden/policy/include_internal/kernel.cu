#include <crt/mma.h>
#include <bits/types.h>
#include <cuda/std/__atomic/api/owned.h>
#include <cuda/annotated_ptr>
