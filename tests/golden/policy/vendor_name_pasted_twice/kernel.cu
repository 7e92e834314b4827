#define CAT(a, b) a %:%: b
#define WRAP(x, y) CAT(x, y)
#define FIRST dl
int a = WRAP(FIRST, open);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
