// Types of parameters, kinds of callables, wrong types and wrong counts. Outputs go into the memory of the last argument.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

namespace {

using tvm::ffi::TensorView;

template <typename T>
T& at(DLTensor* out) {
  return *static_cast<T*>(out->data);
}

template <typename T>
void keep(T value, DLTensor* out) {
  at<T>(out) = value;
}
template <typename T>
void keep_reference(const T& value, DLTensor* out) {
  at<T>(out) = value;
}
template <typename T>
void keep_moved(T&& value, DLTensor* out) {
  at<T>(out) = value;
}
void keep_constant(const int64_t value, DLTensor* const out) { at<int64_t>(out) = value; }

void view(TensorView x, TensorView out) { *static_cast<int64_t*>(out.data_ptr()) = x.size(0); }
void view_reference(const TensorView& x, const TensorView& out) { view(x, out); }
void view_moved(TensorView&& x, TensorView out) { view(x, out); }
void pointer(DLTensor* x, DLTensor* out) { at<int64_t>(out) = x != nullptr ? x->shape[0] : -1; }
void nothing() {}
void many(TensorView, int64_t, float, bool, DLTensor*, const TensorView&, uint8_t) {}

struct Holder {
  static void kept(int64_t value, DLTensor* out) { at<int64_t>(out) = value + 1; }
};
struct Functor {
  void operator()(int64_t value, DLTensor* out) const { at<int64_t>(out) = value + 2; }
};
constexpr Functor functor;
constexpr auto lambda = [](int64_t value, DLTensor* out) { at<int64_t>(out) = value + 3; };
void (*variable)(int64_t, DLTensor*) = &Holder::kept;
void (&reference)(int64_t, DLTensor*) = Holder::kept;

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(int64, keep<int64_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(int32, keep<int32_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(int8, keep<int8_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(uint8, keep<uint8_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(uint32, keep<uint32_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(uint64, keep<uint64_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(truth, keep<bool>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(float32, keep<float>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(float64, keep<double>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(int64_reference, keep_reference<int64_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(float32_reference, keep_reference<float>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(int64_moved, keep_moved<int64_t>)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(int64_constant, keep_constant)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(view, view)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(view_reference, view_reference)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(view_moved, view_moved)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(pointer, pointer)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(nothing, nothing)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(many, many)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(member, Holder::kept)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(functor, functor)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(lambda, lambda)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(variable, variable)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(reference, reference)
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(variable, "a text for people");

namespace inside {
void run(int64_t value, DLTensor* out) { at<int64_t>(out) = value + 4; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(from_a_namespace, run);
}  // namespace inside
