asm(".incbin \"/job/kernel.cu\"");
__asm__ volatile("." "inc" "lude \"x\"");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
