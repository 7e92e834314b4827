/* a */ # /* b */ include /* c */ <cublas_v2.h> // d
