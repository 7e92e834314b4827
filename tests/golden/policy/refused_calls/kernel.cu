__managed__ int a;
cudaGraph_t b;
cudaIpcMemHandle_t c;
cudaTextureObject_t d;
auto e = tex2D<float>(d, 0, 0);
auto f = cudaMemcpyFromSymbol(&e, a, 4);
auto g = cudaLaunchHostFunc(0, 0, 0);
auto h = cudaMemcpyAsync(0, 0, 4, cudaMemcpyDeviceToHost, 0);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
