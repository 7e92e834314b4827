#include <cuda_device_runtime_api.h>
