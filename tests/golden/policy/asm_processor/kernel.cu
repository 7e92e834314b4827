unsigned long long ticks() {
  unsigned low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return (static_cast<unsigned long long>(high) << 32) | low;
}
unsigned long long again() { return __builtin_ia32_rdtsc(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
