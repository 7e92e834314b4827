int a = cub::N + thrust::n + cute::n + at::n;
int at = 1, cub = at;
CUtensorMap map;
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
