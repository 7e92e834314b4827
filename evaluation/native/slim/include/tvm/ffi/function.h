// The export macro: one C function that unpacks the arguments, calls the kernel's host function and turns what it
// throws into the library's raised error.
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/container/tensor.h>

#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi {
namespace details {

[[noreturn]] TVM_FFI_COLD_CODE inline void mismatch(const char* name, int index, const char* wanted, int32_t got) {
  TVM_FFI_THROW(TypeError) << "Mismatched type on argument #" << index << " when calling: `" << name
                           << "`. Expected `" << wanted << "` but got type index " << got;
  TVM_FFI_UNREACHABLE();  // the throw is in a destructor, which nvcc's front end does not see
}

// How one argument type is read from the packed form. A type without a reader is a compile error here, and the source is
// then compiled with the real headers.
template <typename T, typename = void>
struct Reader;

template <>
struct Reader<TensorView> {
  static TensorView read(const TVMFFIAny& any, const char* name, int index) {
    if (any.type_index == kTVMFFIDLTensorPtr) return TensorView(static_cast<DLTensor*>(any.v_ptr));
    if (any.type_index == kTVMFFITensor) return TensorView(reinterpret_cast<const DLTensor*>(any.v_obj + 1));
    mismatch(name, index, "DLTensor*", any.type_index);
  }
};

template <>
struct Reader<DLTensor*> {
  static DLTensor* read(const TVMFFIAny& any, const char* name, int index) {
    if (any.type_index == kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(any.v_ptr);
    if (any.type_index == kTVMFFITensor) return reinterpret_cast<DLTensor*>(any.v_obj + 1);
    mismatch(name, index, "DLTensor*", any.type_index);
  }
};

template <>
struct Reader<bool> {
  static bool read(const TVMFFIAny& any, const char* name, int index) {
    if (any.type_index == kTVMFFIBool || any.type_index == kTVMFFIInt) return any.v_int64 != 0;
    mismatch(name, index, "bool", any.type_index);
  }
};

template <typename T>
struct Reader<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static T read(const TVMFFIAny& any, const char* name, int index) {
    if (any.type_index == kTVMFFIInt || any.type_index == kTVMFFIBool) return static_cast<T>(any.v_int64);
    mismatch(name, index, "int", any.type_index);
  }
};

template <typename T>
struct Reader<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static T read(const TVMFFIAny& any, const char* name, int index) {
    if (any.type_index == kTVMFFIFloat) return static_cast<T>(any.v_float64);
    if (any.type_index == kTVMFFIInt || any.type_index == kTVMFFIBool) return static_cast<T>(any.v_int64);
    mismatch(name, index, "float", any.type_index);
  }
};

template <typename T>
struct Signature : Signature<decltype(&T::operator())> {};
template <typename R, typename... Args>
struct Signature<R (*)(Args...)> {
  static_assert(std::is_void_v<R>, "run returns nothing: outputs are arguments");
  template <typename F, size_t... I>
  static void call(const F& function, const char* name, const TVMFFIAny* args, std::index_sequence<I...>) {
    (void)name;
    (void)args;
    function(Reader<std::remove_const_t<std::remove_reference_t<Args>>>::read(args[I], name, static_cast<int>(I))...);
  }
  template <typename F>
  static void call(const F& function, const char* name, const TVMFFIAny* args, int32_t count) {
    if (count != static_cast<int32_t>(sizeof...(Args))) {
      TVM_FFI_THROW(TypeError) << "Mismatched number of arguments when calling: `" << name << "`. Expected "
                               << sizeof...(Args) << " but got " << count << " arguments";
    }
    call(function, name, args, std::index_sequence_for<Args...>{});
  }
};
template <typename R, typename... Args>
struct Signature<R(Args...)> : Signature<R (*)(Args...)> {};
template <typename T, typename R, typename... Args>
struct Signature<R (T::*)(Args...)> : Signature<R (*)(Args...)> {};
template <typename T, typename R, typename... Args>
struct Signature<R (T::*)(Args...) const> : Signature<R (*)(Args...)> {};

}  // namespace details

// The result of a function that returns nothing is None, all 16 bytes defined.
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, Function)                                      \
  extern "C" {                                                                                   \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args, int32_t num_args,  \
                                                TVMFFIAny* result) {                             \
    try {                                                                                        \
      ::tvm::ffi::details::Signature<std::decay_t<decltype(Function)>>::call(Function, #ExportName, args, num_args); \
      result->type_index = kTVMFFINone;                                                          \
      result->zero_padding = 0;                                                                  \
      result->v_int64 = 0;                                                                       \
      return 0;                                                                                  \
    } catch (const ::tvm::ffi::Error& error) {                                                   \
      TVMFFIErrorSetRaised(error.handle());                                                      \
      return -1;                                                                                 \
    } catch (const std::exception& error) {                                                      \
      TVMFFIErrorSetRaisedFromCStr("InternalError", error.what());                               \
      return -1;                                                                                 \
    }                                                                                            \
  }                                                                                              \
  }

#define TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(ExportName, Text)

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_FUNCTION_H_
