// What << writes into an error's message.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <limits>
#include <string>

#define SAYS(name, ...)                                                  \
  static void name##_() { TVM_FFI_THROW(ValueError) << __VA_ARGS__; }    \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, name##_)

namespace {

enum Plain { plain_seven = 7 };
enum Letter : uint8_t { letter_a = 'a' };
struct Number {
  operator int() const { return 12; }
};
template <typename T>
constexpr T top = std::numeric_limits<T>::max();
template <typename T>
constexpr T bottom = std::numeric_limits<T>::lowest();

const char* none() { return nullptr; }
const void* at(size_t address) { return reinterpret_cast<const void*>(address); }
std::string with_nul() { return std::string("a\0b", 3); }
DLDataType bf16() { return DLDataType{kDLBfloat, 16, 1}; }

}  // namespace

SAYS(nothing, "")
SAYS(text, "a" << " and " << std::string("b"))
SAYS(text_with_nul, with_nul() << "c")
SAYS(text_after_null, "before" << none() << "after" << 1)
SAYS(letters, 'a' << static_cast<signed char>('b') << static_cast<unsigned char>('c'))
SAYS(letter_texts, reinterpret_cast<const signed char*>("ab") << reinterpret_cast<const unsigned char*>("cd"))
SAYS(ints, -7 << " " << 7u << " " << bottom<int> << " " << top<unsigned>)
SAYS(longs, bottom<long> << " " << top<unsigned long> << " " << bottom<long long> << " " << top<unsigned long long>)
SAYS(shorts, static_cast<short>(-3) << " " << static_cast<unsigned short>(65535))
SAYS(truths, true << false)
SAYS(floats, 1.0 << " " << 0.1f << " " << 1e-7 << " " << 123456789.0 << " " << 1e300)
SAYS(odd_floats, std::numeric_limits<double>::infinity() << " " << -std::numeric_limits<float>::infinity())
SAYS(pointers, at(0x1234) << " " << at(0) << " " << reinterpret_cast<const int*>(at(16)))
SAYS(enums, plain_seven << " " << letter_a << " " << kDLCUDA)
SAYS(converted, Number{})
SAYS(dtype_fields, static_cast<int>(bf16().code) << " " << bf16().lanes)
SAYS(dtype_code_is_a_letter, "[" << bf16().code << "]")

// A message longer than the slim headers keep; the test compares the beginning.
SAYS(long_text, std::string(3000, 'x') << std::string(3000, 'y'))
