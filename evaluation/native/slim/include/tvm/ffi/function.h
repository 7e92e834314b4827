// The export macro: one C function that unpacks the arguments, calls the kernel's host function and turns what it
// throws into the library's raised error.
#ifndef TVM_FFI_FUNCTION_H_
#define TVM_FFI_FUNCTION_H_

#include <tvm/ffi/error.h>

#include <type_traits>
#include <utility>

#ifndef TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 0
#elif TVM_FFI_DLL_EXPORT_INCLUDE_METADATA
#error "the slim headers export no metadata; the real ones do"
#endif

namespace tvm {
namespace ffi {
namespace details {

// How one argument type is read from the packed form: `read` says whether the value could be taken, `type` is what
// messages call it. A type without a reader is a compile error, and the source is then compiled with the real headers.
template <typename T, typename = void>
struct Reader;

template <typename T>
using Bare = std::remove_const_t<std::remove_reference_t<T>>;

template <>
struct Reader<DLTensor*> {
  static constexpr const char* type = "DLTensor*";
  static bool holds(const TVMFFIAny& any) {
    return any.type_index == kTVMFFIDLTensorPtr || any.type_index == kTVMFFITensor;
  }
  static DLTensor* read(const TVMFFIAny& any) {
    if (any.type_index == kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(any.v_ptr);
    return TVMFFITensorGetDLTensorPtr(any.v_obj);
  }
};

template <typename T>
struct Reader<T, std::enable_if_t<std::is_integral_v<T>>> {
  static constexpr const char* type = std::is_same_v<T, bool> ? "bool" : "int";
  static bool holds(const TVMFFIAny& any) {
    return any.type_index == kTVMFFIInt || any.type_index == kTVMFFIBool;
  }
  static T read(const TVMFFIAny& any) { return static_cast<T>(any.v_int64); }
};

template <typename T>
struct Reader<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr const char* type = "float";
  static bool holds(const TVMFFIAny& any) { return any.type_index == kTVMFFIFloat || Reader<int64_t>::holds(any); }
  static T read(const TVMFFIAny& any) {
    if (any.type_index == kTVMFFIFloat) return static_cast<T>(any.v_float64);
    return static_cast<T>(any.v_int64);
  }
};

// "run(0: DLTensor*, 1: int) -> void", as the real headers word it.
template <typename... Args>
void write_signature(Message& message, const char* name) {
  int place = 0;
  message << name << "(";
  ((message << (place == 0 ? "" : ", ") << place << ": " << Reader<Bare<Args>>::type, ++place), ...);
  message << ") -> void";
}

template <typename Arg, typename... Args>
Bare<Arg> take(const char* name, const TVMFFIAny* args, size_t place) {
  const TVMFFIAny& any = args[place];
  if (TVM_FFI_PREDICT_FALSE(!Reader<Bare<Arg>>::holds(any))) {
    Message signature;
    write_signature<Args...>(signature, name);
    const TVMFFIByteArray key = TVMFFIGetTypeInfo(any.type_index)->type_key;
    Message got;
    got.append(key.data, key.size);
    TVM_FFI_THROW(TypeError) << "Mismatched type on argument #" << place << " when calling: `" << signature
                             << "`. Expected `" << Reader<Bare<Arg>>::type << "` but got `" << got << "`";
    TVM_FFI_UNREACHABLE();  // the throw is in a destructor, which nvcc's front end does not see
  }
  return Reader<Bare<Arg>>::read(any);
}

template <typename T>
struct Signature : Signature<decltype(&T::operator())> {};
template <typename R, typename... Args>
struct Signature<R (*)(Args...)> {
  static_assert(std::is_void_v<R>, "run returns nothing: outputs are arguments");
  template <typename F, size_t... I>
  static void call(const F& function, const char* name, const TVMFFIAny* args, std::index_sequence<I...>) {
    (void)name;
    (void)args;
    function(take<Args, Args...>(name, args, I)...);
  }
  template <typename F>
  static void call(const F& function, const char* name, const TVMFFIAny* args, int32_t count) {
    if (count != static_cast<int32_t>(sizeof...(Args))) {
      Message signature;
      write_signature<Args...>(signature, name);
      TVM_FFI_THROW(TypeError) << "Mismatched number of arguments when calling: `" << signature << "`. Expected "
                               << sizeof...(Args) << " but got " << count << " arguments";
    }
    call(function, name, args, std::index_sequence_for<Args...>{});
  }
};
template <typename R, typename... Args>
struct Signature<R(Args...)> : Signature<R (*)(Args...)> {};
template <typename R, typename... Args>
struct Signature<R (&)(Args...)> : Signature<R (*)(Args...)> {};
template <typename T, typename R, typename... Args>
struct Signature<R (T::*)(Args...)> : Signature<R (*)(Args...)> {};
template <typename T, typename R, typename... Args>
struct Signature<R (T::*)(Args...) const> : Signature<R (*)(Args...)> {};

}  // namespace details

#define TVM_FFI_CHECK_SAFE_CALL(call)                                             \
  {                                                                               \
    if (TVM_FFI_PREDICT_FALSE((call) != 0)) ::tvm::ffi::details::throw_raised();  \
  }

// A function that returns nothing leaves the result as the caller set it.
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(ExportName, Function)                                      \
  extern "C" {                                                                                   \
  TVM_FFI_DLL_EXPORT int __tvm_ffi_##ExportName(void*, const TVMFFIAny* args, int32_t num_args,  \
                                                TVMFFIAny*) {                                    \
    try {                                                                                        \
      ::tvm::ffi::details::Signature<decltype(Function)>::call(Function, #ExportName, args, num_args); \
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
