__asm(".irp w,bin\n.inc\\w \"x\"\n.endr");
const char* a = ".irp";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
