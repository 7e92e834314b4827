const char* help = R"x(
#include <cublas_v2.h>
)" not the end
)x";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
