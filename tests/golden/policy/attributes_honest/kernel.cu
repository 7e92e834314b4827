struct __attribute__((packed, aligned(16))) A {};
[[nodiscard]] int section(int constructor);
__attribute__((visibility("default"))) int b;
int weak = a[0][1];
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
