__device__ void f(unsigned a) {
  asm volatile goto inline("{ .reg .pred p; setp.ne.u32 p, %0, 0; }" ::"r"(a));
  asm("wgmma.commit_group.sync.aligned;" ::: "memory");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
