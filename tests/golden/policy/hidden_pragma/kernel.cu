#define UNROLL #pragma unroll 4
#define TEXT(x) #x
#define LIST(...) #__VA_ARGS__
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
