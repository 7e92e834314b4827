std::thread a([] {});
auto b = std::async([] {});
int c = pthread_create(0, 0, 0, 0), thread = 0;
auto d = std::signal(SIGSEGV, 0);
int e = alarm(1);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
