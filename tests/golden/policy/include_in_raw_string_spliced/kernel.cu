const char* help = R\
"(\
#include <cudnn.h>
")";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
