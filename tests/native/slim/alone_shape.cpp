#include <tvm/ffi/container/shape.h>

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const TVMFFIAny* args, int32_t count,
                                                                    TVMFFIAny*) {
  const tvm::ffi::ShapeView shape(&args[0].v_int64, 1);
  return count == 1 ? static_cast<int>(shape.Product()) : -1;
}
