// What views of tensors and shapes answer. Numbers go into the int64 memory of `out`, one after the other.
#include <tvm/ffi/container/tensor.h>

namespace {

using tvm::ffi::ShapeView;
using tvm::ffi::TensorView;

class Numbers {
 public:
  explicit Numbers(DLTensor* out) : next_(static_cast<int64_t*>(out->data)) {}
  template <typename T>
  Numbers& operator<<(T number) {
    *next_++ = static_cast<int64_t>(number);
    return *this;
  }

 private:
  int64_t* next_;
};

void facts(TensorView x, DLTensor* out) {
  Numbers numbers(out);
  numbers << x.ndim() << x.dim() << x.numel() << x.byte_offset();
  numbers << x.dtype().code << x.dtype().bits << x.dtype().lanes;
  numbers << x.device().device_type << x.device().device_id;
  numbers << x.IsContiguous() << x.is_contiguous() << tvm::ffi::GetDataSize(x);
  numbers << reinterpret_cast<int64_t>(x.data_ptr());
}

void whole_shape(TensorView x, DLTensor* out) {
  Numbers numbers(out);
  const ShapeView shape = x.shape();
  numbers << shape.size() << shape.empty() << shape.Product();
  for (int64_t extent : shape) numbers << extent;
  for (size_t i = 0; i < x.sizes().size(); i++) numbers << x.sizes()[i] << shape.at(i) << shape.data()[i];
  numbers << (shape.end() - shape.begin());
}

void whole_strides(TensorView x, DLTensor* out) {
  Numbers numbers(out);
  for (int64_t stride : x.strides()) numbers << stride;
}

void size(TensorView x, int64_t index, DLTensor* out) { Numbers(out) << x.size(index); }
void stride(TensorView x, int64_t index, DLTensor* out) { Numbers(out) << x.stride(index); }
void shape_at(TensorView x, int64_t index, DLTensor* out) { Numbers(out) << x.shape().at(static_cast<size_t>(index)); }
void front_and_back(TensorView x, DLTensor* out) { Numbers(out) << x.shape().front() << x.shape().back(); }
void back_only(TensorView x, DLTensor* out) { Numbers(out) << x.shape().back(); }

void own_shapes(DLTensor* out) {
  const int64_t extents[] = {3, 4};
  const ShapeView shape(extents, 2);
  Numbers numbers(out);
  numbers << shape.Product() << ShapeView().empty() << ShapeView({5, 6, 7}).size();
}

void compared(TensorView x, TensorView y, DLTensor* out) {
  Numbers numbers(out);
  numbers << (x.dtype() == y.dtype()) << (x.dtype() != y.dtype());
  numbers << (x.dtype() == DLDataType{kDLBfloat, 16, 1});
}

void assigned(TensorView x, TensorView y, DLTensor* out) {
  TensorView z = x;
  z = y;
  const TensorView from_pointer(out);
  Numbers(out) << z.size(0) << from_pointer.ndim();
}

void data_sizes(DLTensor* out) {
  Numbers numbers(out);
  numbers << tvm::ffi::GetDataSize(3, DLDataType{kDLBfloat, 16, 1}) << tvm::ffi::GetDataSize(3, DLDataType{kDLUInt, 1, 1});
  numbers << tvm::ffi::GetDataSize(3, DLDataType{kDLInt, 4, 1}) << tvm::ffi::GetDataSize(3, DLDataType{kDLFloat, 32, 4});
  numbers << tvm::ffi::GetDataSize(*out) << tvm::ffi::IsContiguous(*out);
}

void alignment(DLTensor* x, int64_t bytes, DLTensor* out) {
  Numbers(out) << tvm::ffi::IsDirectAddressDevice(x->device) << tvm::ffi::IsAligned(*x, static_cast<size_t>(bytes));
}

void expects_bf16(TensorView x) {
  TVM_FFI_ICHECK(x.dtype().code == kDLBfloat && x.dtype().bits == 16) << "bf16 only";
  TVM_FFI_ICHECK_EQ(x.device().device_type, kDLCUDA);
  TVM_FFI_ICHECK_EQ(x.ndim(), 2) << "a matrix";
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(facts, facts)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(whole_shape, whole_shape)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(whole_strides, whole_strides)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size, size)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(stride, stride)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shape_at, shape_at)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(front_and_back, front_and_back)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(back_only, back_only)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own_shapes, own_shapes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(compared, compared)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(assigned, assigned)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(data_sizes, data_sizes)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(alignment, alignment)
TVM_FFI_DLL_EXPORT_TYPED_FUNC(expects_bf16, expects_bf16)
