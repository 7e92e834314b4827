#if 0
#else
a\b
#endif
#if 1
c\d
#endif
#if 0
#elif X
e\f
#endif
#if 0 + 0
g\h
#endif
#else
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
