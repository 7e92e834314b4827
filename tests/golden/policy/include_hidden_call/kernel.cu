#define H() #
H() include <cub/cub.cuh>
