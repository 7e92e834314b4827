#define KERNEL(n) gemm_##n
#define LOG(f, ...) printf(f, ##__VA_ARGS__)
int a = KERNEL(64), b = KERNEL(128);
auto KERNEL = 3;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
