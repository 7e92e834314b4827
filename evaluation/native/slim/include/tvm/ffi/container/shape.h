// A view of a shape: pointer and length, nothing owned.
#ifndef TVM_FFI_CONTAINER_SHAPE_H_
#define TVM_FFI_CONTAINER_SHAPE_H_

#include <tvm/ffi/error.h>

#include <initializer_list>

namespace tvm {
namespace ffi {

class ShapeView {
 public:
  ShapeView() = default;
  ShapeView(const int64_t* data, size_t size) : data_(data), size_(size) {}
  // As in the real header, the view lives no longer than the list it was made from.
  ShapeView(const std::initializer_list<int64_t>& list) {
    data_ = list.begin();
    size_ = list.size();
  }

  const int64_t* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const int64_t* begin() const { return data_; }
  const int64_t* end() const { return data_ + size_; }
  int64_t operator[](size_t index) const { return data_[index]; }
  int64_t front() const { return at(0); }
  int64_t back() const { return at(size_ - 1); }
  int64_t at(size_t index) const {
    if (index >= size_) {
      TVM_FFI_THROW(IndexError) << "indexing " << index << " on a Shape of size " << size_;
    }
    return data_[index];
  }
  int64_t Product() const {
    int64_t product = 1;
    for (size_t i = 0; i < size_; ++i) product *= data_[i];
    return product;
  }

 private:
  const int64_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace ffi
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_SHAPE_H_
