#include <cub//cub.cuh>
