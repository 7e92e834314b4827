// Tensor arguments and owned tensors.
#ifndef TVM_FFI_CONTAINER_TENSOR_H_
#define TVM_FFI_CONTAINER_TENSOR_H_

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

namespace tvm {
namespace ffi {

inline bool IsDirectAddressDevice(const DLDevice& device) {
  const int type = device.device_type;
  return type <= kDLCUDAHost || type == kDLCUDAManaged || type == kDLROCM || type == kDLROCMHost;
}

inline bool IsAligned(const DLTensor& tensor, size_t alignment) {
  const size_t base = IsDirectAddressDevice(tensor.device) ? reinterpret_cast<size_t>(tensor.data) : 0;
  return (base + tensor.byte_offset) % alignment == 0;
}

inline bool IsContiguous(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  for (int32_t i = 0; i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0) return true;
  }
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 1) continue;  // the stride of a dimension of one says nothing
    if (tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

inline size_t GetDataSize(size_t elements, DLDataType type) {
  // A one-bit bool is stored as a byte.
  if (type.code == kDLUInt && type.bits == 1 && type.lanes == 1) return elements;
  return (elements * type.bits * type.lanes + 7) / 8;
}

inline size_t GetDataSize(const DLTensor& tensor) {
  size_t elements = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) elements *= static_cast<size_t>(tensor.shape[i]);
  return GetDataSize(elements, tensor.dtype);
}

namespace details {

// What TensorView and Tensor have in common; Derived::dl() gives the DLTensor.
template <typename Derived>
class TensorFace {
 public:
  void* data_ptr() const { return dl().data; }
  DLDevice device() const { return dl().device; }
  int32_t ndim() const { return dl().ndim; }
  int32_t dim() const { return dl().ndim; }
  DLDataType dtype() const { return dl().dtype; }
  ShapeView shape() const { return ShapeView(dl().shape, static_cast<size_t>(dl().ndim)); }
  ShapeView sizes() const { return shape(); }
  ShapeView strides() const {
    if (dl().strides == nullptr && dl().ndim != 0) {
      TVM_FFI_THROW(InternalError) << "Check failed: (" << Derived::strides_check << ") is false: ";
    }
    return ShapeView(dl().strides, static_cast<size_t>(dl().ndim));
  }
  int64_t size(int64_t index) const { return dl().shape[checked(index)]; }
  int64_t stride(int64_t index) const { return dl().strides[checked(index)]; }
  int64_t numel() const { return shape().Product(); }
  uint64_t byte_offset() const { return dl().byte_offset; }
  bool IsContiguous() const { return ::tvm::ffi::IsContiguous(dl()); }
  bool is_contiguous() const { return IsContiguous(); }

 private:
  const DLTensor& dl() const { return static_cast<const Derived*>(this)->dl(); }
  int64_t checked(int64_t index) const {
    const int64_t place = index >= 0 ? index : dl().ndim + index;
    if (place < 0 || place >= dl().ndim) {
      TVM_FFI_THROW(IndexError) << "Index " << index << " out of bounds for tensor with "
                                << dl().ndim << " dimensions";
    }
    return place;
  }
};

}  // namespace details

// An owned, reference-counted tensor. Kernels get one from Tensor::FromEnvAlloc.
class Tensor : public details::TensorFace<Tensor> {
 public:
  Tensor() = default;
  Tensor(const Tensor& other) : object_(other.object_) {
    if (object_ != nullptr) TVMFFIObjectIncRef(object_);
  }
  Tensor(Tensor&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  Tensor& operator=(Tensor other) noexcept {
    TVMFFIObject* mine = object_;
    object_ = other.object_;
    other.object_ = mine;
    return *this;
  }
  ~Tensor() {
    if (object_ != nullptr) TVMFFIObjectDecRef(object_);
  }
  static Tensor FromEnvAlloc(int (*allocate)(DLTensor*, TVMFFIObjectHandle*), ShapeView shape,
                             DLDataType type, DLDevice device) {
    DLTensor prototype{};
    prototype.device = device;
    prototype.dtype = type;
    prototype.shape = const_cast<int64_t*>(shape.data());
    prototype.ndim = static_cast<int32_t>(shape.size());
    TVMFFIObjectHandle made = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(allocate(&prototype, &made));
    Tensor tensor;
    tensor.object_ = static_cast<TVMFFIObject*>(made);
    return tensor;
  }
  bool defined() const { return object_ != nullptr; }
  const DLTensor* GetDLTensorPtr() const { return &dl(); }
  bool IsAligned(size_t alignment) const { return ::tvm::ffi::IsAligned(dl(), alignment); }

 private:
  friend class details::TensorFace<Tensor>;
  static constexpr const char* strides_check = "obj->strides != nullptr || obj->ndim == 0";
  // A tensor object is the object header followed by the DLTensor (tvm/ffi/c_api.h, kTVMFFITensor).
  const DLTensor& dl() const { return *reinterpret_cast<const DLTensor*>(object_ + 1); }
  TVMFFIObject* object_ = nullptr;
};

// A tensor argument: a copy of the caller's DLTensor, nothing owned.
class TensorView : public details::TensorFace<TensorView> {
 public:
  TensorView(const DLTensor* tensor) {
    TVM_FFI_ICHECK(tensor != nullptr);
    tensor_ = *tensor;
  }
  TensorView(const Tensor& tensor) {
    TVM_FFI_ICHECK(tensor.defined());
    tensor_ = *tensor.GetDLTensorPtr();
  }
  TensorView(Tensor&&) = delete;
  TensorView& operator=(Tensor&&) = delete;

 private:
  friend class details::TensorFace<TensorView>;
  static constexpr const char* strides_check = "tensor_.strides != nullptr || tensor_.ndim == 0";
  const DLTensor& dl() const { return tensor_; }
  DLTensor tensor_;
};

inline size_t GetDataSize(const Tensor& tensor) {
  return GetDataSize(static_cast<size_t>(tensor.numel()), tensor.dtype());
}

inline size_t GetDataSize(const TensorView& tensor) {
  return GetDataSize(static_cast<size_t>(tensor.numel()), tensor.dtype());
}

namespace details {

template <>
struct Reader<TensorView> : Reader<DLTensor*> {
  static TensorView read(const TVMFFIAny& any) { return TensorView(Reader<DLTensor*>::read(any)); }
};

}  // namespace details

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_TENSOR_H_
