int a = fork() + (system)("ls") + std::system("ls");
int b = socket(1, 2, 3);
void* c = mmap(0, 1, 2, 3, 4, 5);
long d = ::syscall(39) + ptrace(0);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
