// Style: launchers behind an abstract base class, made by a factory and kept in static unique_ptrs.
#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/tvm_ffi.h>

#include <memory>

struct Problem {
  const unsigned short* a;
  const unsigned short* b;
  unsigned short* c;
  int m, n, k;
};

template <int kWidth>
__global__ void wide(Problem problem) {
  const int column = blockIdx.x * kWidth + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < problem.k; ++i) {
    sum += __uint_as_float(problem.a[static_cast<size_t>(blockIdx.y) * problem.k + i] << 16) *
           __uint_as_float(problem.b[static_cast<size_t>(column) * problem.k + i] << 16);
  }
  problem.c[static_cast<size_t>(blockIdx.y) * problem.n + column] = __float_as_uint(sum) >> 16;
}

class Gemm {
 public:
  virtual ~Gemm() = default;
  virtual bool accepts(const Problem& problem) const = 0;
  void operator()(const Problem& problem, cudaStream_t stream) const { launch(problem, stream); }

 protected:
  virtual void launch(const Problem& problem, cudaStream_t stream) const = 0;
};

template <int kWidth>
class WideGemm final : public Gemm {
 public:
  bool accepts(const Problem& problem) const override { return problem.n % kWidth == 0; }

 protected:
  void launch(const Problem& problem, cudaStream_t stream) const override {
    wide<kWidth><<<dim3(problem.n / kWidth, problem.m), kWidth, 0, stream>>>(problem);
  }
};

static const Gemm* choose(const Problem& problem) {
  static const std::unique_ptr<Gemm> known[] = {std::make_unique<WideGemm<640>>(), std::make_unique<WideGemm<448>>(),
                                                std::make_unique<WideGemm<32>>()};
  for (const auto& one : known) {
    if (one->accepts(problem)) return one.get();
  }
  return nullptr;
}

void run(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView c) {
  const Problem problem{static_cast<const unsigned short*>(a.data_ptr()), static_cast<const unsigned short*>(b.data_ptr()),
                        static_cast<unsigned short*>(c.data_ptr()), static_cast<int>(a.size(0)), static_cast<int>(b.size(0)),
                        static_cast<int>(a.size(1))};
  const Gemm* gemm = choose(problem);
  TVM_FFI_ICHECK(gemm != nullptr);
  (*gemm)(problem, static_cast<cudaStream_t>(TVMFFIEnvGetStream(a.device().device_type, a.device().device_id)));
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
