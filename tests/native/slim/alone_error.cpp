#include <tvm/ffi/error.h>

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) {
  try {
    TVM_FFI_THROW(ValueError) << "from error.h";
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("Caught", error.what());
  }
  return -1;
}
