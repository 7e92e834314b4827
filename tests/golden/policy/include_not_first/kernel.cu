int x; /*
*/ #pragma once
int y;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
