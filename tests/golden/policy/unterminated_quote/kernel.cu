#if 0
don't /* look
#endif
int cudnn_x; // */
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
