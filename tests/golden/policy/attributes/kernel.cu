__attribute__((constructor)) void a() {}
[[gnu::destructor]] void b() {}
void c() __attribute((__ifunc__("r")));
<:<:using gnu: weak:>:> int d;
#define E __attribute__((section("x")))
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
