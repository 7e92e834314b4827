#ident "x"
#assert a(b)
#!/bin/sh
#
#error don't
#unknown
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
