#define F(x) x"x(
const char* a = F(R)
R"y()x";
#include "/toolchain/include/cccl/cub/cub.cuh"
const char* b = R"w(
)y"
)w";
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
