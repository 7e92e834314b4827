#define HI __has_include
#if HI(<a/*b>)
#endif
#include <cublas_v2.h>
/* */
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
