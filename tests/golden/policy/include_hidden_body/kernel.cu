#define PULL %:include <cub/cub.cuh>
PULL
