const char* a = getenv("HOME");
extern char** environ;
auto b = std::ifstream("/proc/self/maps");
int c = __builtin_cpu_supports("avx2");
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
