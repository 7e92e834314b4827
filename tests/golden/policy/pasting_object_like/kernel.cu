#define NAME cu##dnn##Create
int a = NAME;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
