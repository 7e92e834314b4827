// the next line is part of this \
#include <cublas_v2.h>
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
