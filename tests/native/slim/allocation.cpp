// Owned tensors from the environment's allocator.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <utility>

namespace {

using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

Tensor make(tvm::ffi::ShapeView shape) {
  return Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
}

int64_t rows_of(TensorView view) { return view.size(0); }

void allocated(DLTensor* out) {
  auto* next = static_cast<int64_t*>(out->data);
  const Tensor tensor = make({3, 5});
  *next++ = tensor.defined();
  *next++ = tensor.ndim();
  *next++ = tensor.numel();
  *next++ = tensor.size(-1);
  *next++ = tensor.stride(0);
  *next++ = tensor.strides().size() == 2;
  *next++ = tensor.IsContiguous();
  *next++ = tensor.IsAligned(64);
  *next++ = static_cast<int64_t>(tvm::ffi::GetDataSize(tensor));
  *next++ = tensor.dtype() == DLDataType{kDLFloat, 32, 1};
  *next++ = tensor.device().device_type;
  *next++ = static_cast<int64_t>(tensor.byte_offset());
  *next++ = tensor.GetDLTensorPtr()->ndim;
  *next++ = reinterpret_cast<int64_t>(tensor.data_ptr());
}

// Copies share, moves hand over, assignments let go: the test counts what is freed and when.
void shared(DLTensor* out) {
  auto* next = static_cast<int64_t*>(out->data);
  Tensor first = make({2});
  Tensor copy = first;
  Tensor moved = std::move(first);
  *next++ = first.defined();
  *next++ = copy.data_ptr() == moved.data_ptr();
  *next++ = rows_of(copy);
  copy = make({7});
  moved = copy;
  TensorView view = moved;
  view = copy;
  *next++ = view.size(0);
  copy = Tensor();
  *next++ = copy.defined();
}

void view_of_nothing(DLTensor* out) {
  const Tensor undefined;
  const TensorView view = undefined;
  *static_cast<int64_t*>(out->data) = view.ndim();
}

void kept_between_calls(DLTensor* out) {
  static const Tensor& workspace = *new Tensor(make({11}));  // never freed: nothing is left to free it for
  *static_cast<int64_t*>(out->data) = reinterpret_cast<int64_t>(workspace.data_ptr());
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(allocated, allocated)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shared, shared)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(view_of_nothing, view_of_nothing)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kept_between_calls, kept_between_calls)
