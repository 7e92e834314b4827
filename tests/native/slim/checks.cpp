// Check macros, kinds of errors and exceptions of other types.
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <stdexcept>

#define EXPORTED(name) TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, name##_)
#define COMPARES(name, check)                                                          \
  static void name##_(int64_t x, int64_t y) { check(x, y, ValueError) << "told"; }     \
  EXPORTED(name)
#define COMPARES_INSIDE(name, check)                                         \
  static void name##_(int64_t x, int64_t y) { check(x, y) << "told"; }       \
  EXPORTED(name)

COMPARES(check_lt, TVM_FFI_CHECK_LT)
COMPARES(check_gt, TVM_FFI_CHECK_GT)
COMPARES(check_le, TVM_FFI_CHECK_LE)
COMPARES(check_ge, TVM_FFI_CHECK_GE)
COMPARES(check_eq, TVM_FFI_CHECK_EQ)
COMPARES(check_ne, TVM_FFI_CHECK_NE)
COMPARES_INSIDE(icheck_lt, TVM_FFI_ICHECK_LT)
COMPARES_INSIDE(icheck_gt, TVM_FFI_ICHECK_GT)
COMPARES_INSIDE(icheck_le, TVM_FFI_ICHECK_LE)
COMPARES_INSIDE(icheck_ge, TVM_FFI_ICHECK_GE)
COMPARES_INSIDE(icheck_eq, TVM_FFI_ICHECK_EQ)
COMPARES_INSIDE(icheck_ne, TVM_FFI_ICHECK_NE)
COMPARES_INSIDE(dcheck_lt, TVM_FFI_DCHECK_LT)
COMPARES_INSIDE(dcheck_gt, TVM_FFI_DCHECK_GT)
COMPARES_INSIDE(dcheck_le, TVM_FFI_DCHECK_LE)
COMPARES_INSIDE(dcheck_ge, TVM_FFI_DCHECK_GE)
COMPARES_INSIDE(dcheck_eq, TVM_FFI_DCHECK_EQ)
COMPARES_INSIDE(dcheck_ne, TVM_FFI_DCHECK_NE)

#define LIMIT 4
namespace {

int64_t twice(int64_t* counter) { return ++*counter; }

void check_(int64_t x) { TVM_FFI_CHECK(x > 0 && x < LIMIT, RuntimeError) << "x is " << x; }
void check_with_comma_(int64_t x) { TVM_FFI_CHECK((std::is_same_v<int64_t, int>) || x > 0, TypeError); }
void icheck_(int64_t x) { TVM_FFI_ICHECK(x); }
void dcheck_(int64_t x) { TVM_FFI_DCHECK(x > LIMIT); }
void macro_in_comparison_(int64_t x) { TVM_FFI_ICHECK_EQ(x, LIMIT) << "!"; }
void mixed_types_(int64_t x) { TVM_FFI_ICHECK_GE(static_cast<int>(x), 2u); }
void enum_and_number_(int64_t x) { TVM_FFI_ICHECK_EQ(static_cast<DLDeviceType>(x), kDLCUDA); }
void letters_compared_(int64_t x) { TVM_FFI_ICHECK_EQ(static_cast<uint8_t>(x), static_cast<uint8_t>('b')); }
void operands_are_evaluated_once_(int64_t x) {
  int64_t counter = x;
  TVM_FFI_ICHECK_EQ(twice(&counter), x + 1);
  TVM_FFI_CHECK_EQ(counter, x + 2, ValueError) << "evaluated once";
}
void else_belongs_to_the_check_(int64_t x) {
  if (x < 10)
    TVM_FFI_ICHECK(x > 0) << "small";
  else
    TVM_FFI_THROW(ValueError) << "not the check's";
}
void notnull_(int64_t x) {
  int64_t const* const pointer = TVM_FFI_ICHECK_NOTNULL(x != 0 ? &x : nullptr);
  TVM_FFI_THROW(ValueError) << "not null: " << *pointer;
}
void notnull_of_kind_(int64_t x) {
  void* const pointer = x != 0 ? &x : nullptr;
  (void)TVM_FFI_CHECK_NOTNULL(pointer, IndexError);
}
void caught_and_told_(int64_t) {
  try {
    TVM_FFI_THROW(IndexError) << "inner";
  } catch (const tvm::ffi::Error& error) {
    TVM_FFI_THROW(ValueError) << "outer of " << error.what();
  }
}
void caught_as_standard_(int64_t) {
  try {
    TVM_FFI_THROW(IndexError) << "inner";
  } catch (const std::exception& error) {
    TVM_FFI_THROW(ValueError) << "outer of " << error.what();
  }
}
void thrown_again_(int64_t) {
  try {
    TVM_FFI_THROW(IndexError) << "first";
  } catch (const tvm::ffi::Error& error) {
    tvm::ffi::Error kept = error;
    throw kept;
  }
}
void standard_(int64_t) { throw std::runtime_error("standard"); }
void out_of_range_(int64_t) { throw std::out_of_range("range"); }
struct Own : std::exception {
  const char* what() const noexcept override { return "own"; }
};
void own_(int64_t) { throw Own(); }
void something_else_(int64_t) { throw 42; }
void any_kind_(int64_t) { TVM_FFI_THROW(OutOfMemoryError) << "told"; }
void safe_call_(int64_t x) {
  // TVMFFITypeKeyToIndex fails for a name that nobody registered.
  const char* const name = x != 0 ? "ffi.Tensor" : "no.such.type";
  TVMFFIByteArray const key{name, std::strlen(name)};
  int32_t index = 0;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&key, &index));
  TVM_FFI_CHECK_EQ(index, 0, ValueError);
}

}  // namespace

EXPORTED(check)
EXPORTED(check_with_comma)
EXPORTED(icheck)
EXPORTED(dcheck)
EXPORTED(macro_in_comparison)
EXPORTED(mixed_types)
EXPORTED(enum_and_number)
EXPORTED(letters_compared)
EXPORTED(operands_are_evaluated_once)
EXPORTED(else_belongs_to_the_check)
EXPORTED(notnull)
EXPORTED(notnull_of_kind)
EXPORTED(caught_and_told)
EXPORTED(caught_as_standard)
EXPORTED(thrown_again)
EXPORTED(standard)
EXPORTED(out_of_range)
EXPORTED(own)
EXPORTED(something_else)
EXPORTED(any_kind)
EXPORTED(safe_call)
