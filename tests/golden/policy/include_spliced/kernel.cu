int before;
#in\
clude <cub\
las_v2.h>
