/* #include <cublas_v2.h> */
// #include <cudnn.h>
/*
#include <cub/cub.cuh>
*/
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
