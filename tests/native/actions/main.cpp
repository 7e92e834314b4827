// Registers the kernels and variables and finds the action.
#include "action.h"

void scale() {}
void table() {}
void stranger() {}
char weights[64];
char constants[256];

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
}

namespace {

struct Registration {
  Registration() {
    void** const handle = __cudaRegisterFatBinary(nullptr);
    add(handle, reinterpret_cast<const char*>(scale), "scale");
    add(handle, reinterpret_cast<const char*>(table), "table");
    add(handle, reinterpret_cast<const char*>(stranger), "stranger");
    __cudaRegisterVar(handle, weights, weights, "weights", 0, sizeof weights, 0, 0);
    __cudaRegisterVar(handle, constants, constants, "constants", 0, sizeof constants, 1, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  static void add(void** handle, const char* stub, const char* name) {
    __cudaRegisterFunction(handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  }
};

Registration registration;

uint64_t hash(const char* text) {
  uint64_t value = 0xCBF29CE484222325;
  for (; *text != 0; text++) value = (value ^ static_cast<unsigned char>(*text)) * 0x100000001B3;
  return value >> 2;  // fits a positive integer
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const TVMFFIAny* arguments, int32_t count,
                                                                    TVMFFIAny*) {
  static int number = 0;
  number++;
  for (Action* one = Action::first; one != nullptr; one = one->next) {
    if (hash(one->name) != static_cast<uint64_t>(arguments[count - 1].v_int64)) continue;
    one->run(Call{arguments, number});
    return 0;
  }
  TVMFFIErrorSetRaisedFromCStr("ValueError", "no such action");
  return -1;
}
