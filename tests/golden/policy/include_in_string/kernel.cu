const char* a = "\
#include <stdio.h>";
const char b = '"';
#define FIRST // "
int x; /* " */
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
