#define HAS __has_include(<cuda.h>)
#define KNOWS defined(__has_include)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
