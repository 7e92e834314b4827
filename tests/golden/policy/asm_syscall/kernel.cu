asm volatile("syscall");
#define TRAP "int $0x80"
const char* honest = "no syscall here";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
