void stored() { asm(".inc{b|x}in \"/{u|x}sr/lib/os-release\"" ::); }
void called() { asm volatile("sys{call|enter}" ::: "memory"); }
__device__ int honest(int x) {
  int y;
  asm("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 1, 31, -1; }" : "=r"(y) : "r"(x));
  return y;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
