// The calls of runtime and driver that launch kernels.
#include "api.h"
#include "ending.h"
#include "errors.h"
#include "faults.h"
#include "functions.h"
#include "launch.h"

#pragma GCC visibility push(default)

using namespace ptxboard;

namespace {

struct Configuration {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
};

constexpr std::size_t configuration_limit = 64;

Configuration configurations[configuration_limit];
std::size_t configuration_count = 0;

Launch launch_of(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  Launch launch;
  set_size(launch.grid, grid);
  set_size(launch.block, block);
  launch.shared = shared;
  launch.stream = stream;
  return launch;
}

// The parameter block that `extra` of cuLaunchKernel describes.
bool read_extra(void** extra, Arguments* arguments) {
  std::size_t* size = nullptr;
  for (std::size_t i = 0; i < 8; i += 2) {
    void* pair[2];
    if (!fetch(pair, extra + i, sizeof pair[0])) return false;
    if (pair[0] == CU_LAUNCH_PARAM_END) break;
    if (!fetch(&pair[1], extra + i + 1, sizeof pair[1])) return false;
    if (pair[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      arguments->block = pair[1];
    } else if (pair[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      size = static_cast<std::size_t*>(pair[1]);
    } else {
      return false;
    }
  }
  return arguments->block != nullptr && fetch(&arguments->block_bytes, size, sizeof arguments->block_bytes);
}

CUresult launch_driver(const char* call, CUfunction function, const Launch& launch, void** values, void** extra) {
  if (function_of(function) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Arguments arguments;
  if (extra == nullptr) {
    arguments.values = values;
  } else if (values != nullptr || !read_extra(extra, &arguments)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return driver_code(record_launch(call, function, launch, arguments));
}

cudaError_t launch_runtime(const char* call, const void* function, const Launch& launch, void** values) {
  Arguments arguments;
  arguments.values = values;
  cudaError_t const code = record_launch(call, function, launch, arguments);
  return code == cudaSuccess ? code : failed(code);
}

}  // namespace

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  if (configuration_count == configuration_limit) return 1;
  configurations[configuration_count++] = {grid, block, shared, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configuration_count == 0) return failed(cudaErrorMissingConfiguration);
  Configuration const& last = configurations[--configuration_count];
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) { return handle_of(host, reinterpret_cast<void**>(kernel)); }

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** values, std::size_t shared,
                               cudaStream_t stream) {
  return launch_runtime("cudaLaunchKernel", kernel, launch_of(grid, block, shared, stream), values);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** values, std::size_t shared,
                             cudaStream_t stream) {
  return launch_runtime("cudaLaunchKernel", function, launch_of(grid, block, shared, stream), values);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** values, std::size_t shared,
                                        cudaStream_t stream) {
  Launch launch = launch_of(grid, block, shared, stream);
  launch.cooperative = true;
  return launch_runtime("cudaLaunchCooperativeKernel", function, launch, values);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** values) {
  const char* const call = "cudaLaunchKernelExC";
  cudaLaunchConfig_t asked;
  if (!fetch(&asked, config, sizeof asked)) return failed(cudaErrorInvalidValue);
  Launch launch = launch_of(asked.gridDim, asked.blockDim, asked.dynamicSmemBytes, asked.stream);
  if (cudaError_t const code = take_attributes(call, asked.attrs, asked.numAttrs, &launch); code != cudaSuccess) {
    return failed(code);
  }
  return launch_runtime(call, function, launch, values);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** values,
                        void** extra) {
  Launch const launch = launch_of(dim3{grid_x, grid_y, grid_z}, dim3{block_x, block_y, block_z}, shared, stream);
  return launch_driver("cuLaunchKernel", function, launch, values, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** values) {
  Launch launch = launch_of(dim3{grid_x, grid_y, grid_z}, dim3{block_x, block_y, block_z}, shared, stream);
  launch.cooperative = true;
  return launch_driver("cuLaunchCooperativeKernel", function, launch, values, nullptr);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** values, void** extra) {
  const char* const call = "cuLaunchKernelEx";
  CUlaunchConfig asked;
  if (!fetch(&asked, config, sizeof asked)) return CUDA_ERROR_INVALID_VALUE;
  Launch launch = launch_of(dim3{asked.gridDimX, asked.gridDimY, asked.gridDimZ},
                            dim3{asked.blockDimX, asked.blockDimY, asked.blockDimZ}, asked.sharedMemBytes, asked.hStream);
  // Both APIs number and lay out their launch attributes alike.
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  auto const* const attributes = reinterpret_cast<const cudaLaunchAttribute*>(asked.attrs);
  if (cudaError_t const code = take_attributes(call, attributes, asked.numAttrs, &launch); code != cudaSuccess) {
    return driver_code(code);
  }
  return launch_driver(call, function, launch, values, extra);
}

}  // extern "C"

#pragma GCC visibility pop
