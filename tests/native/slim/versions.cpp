#include <tvm/ffi/tvm_ffi.h>

extern "C" __attribute__((visibility("default"))) const int versions[] = {
    TVM_FFI_VERSION_MAJOR, TVM_FFI_VERSION_MINOR, TVM_FFI_VERSION_PATCH, DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION,
};
