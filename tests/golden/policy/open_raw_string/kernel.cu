TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
#define A R"(
int a;
const char* b = R"(
#include <cublas_v2.h>
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
