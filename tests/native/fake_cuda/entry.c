#include "fake.h"

#include <string.h>

// cuda.h lets a plain name stand for its newest version: a row is the plain name and that version's address.
#define ROW(name) {#name, (void *)name}

static const struct {
  const char *name;
  void *address;
} rows[] = {
    ROW(cuCtxCreate),
    ROW(cuCtxDestroy),
    ROW(cuCtxGetCurrent),
    ROW(cuCtxGetDevice),
    ROW(cuCtxGetLimit),
    ROW(cuCtxGetStreamPriorityRange),
    ROW(cuCtxResetPersistingL2Cache),
    ROW(cuCtxSetCurrent),
    ROW(cuCtxSetLimit),
    ROW(cuCtxSynchronize),
    ROW(cuDeviceGet),
    ROW(cuDeviceGetAttribute),
    ROW(cuDeviceGetCount),
    ROW(cuDeviceGetName),
    ROW(cuDeviceGetPCIBusId),
    ROW(cuDeviceGetUuid),
    ROW(cuDevicePrimaryCtxRelease),
    ROW(cuDevicePrimaryCtxRetain),
    ROW(cuDeviceTotalMem),
    ROW(cuDriverGetVersion),
    ROW(cuEventCreate),
    ROW(cuEventDestroy),
    ROW(cuEventElapsedTime),
    ROW(cuEventQuery),
    ROW(cuEventRecord),
    ROW(cuEventRecordWithFlags),
    ROW(cuEventSynchronize),
    ROW(cuFuncGetAttribute),
    ROW(cuFuncGetParamInfo),
    ROW(cuFuncSetAttribute),
    ROW(cuGetErrorName),
    ROW(cuGetErrorString),
    ROW(cuInit),
    ROW(cuLaunchKernel),
    ROW(cuLaunchKernelEx),
    ROW(cuMemAddressFree),
    ROW(cuMemAddressReserve),
    ROW(cuMemAlloc),
    ROW(cuMemAllocAsync),
    ROW(cuMemAllocHost),
    ROW(cuMemCreate),
    ROW(cuMemExportToShareableHandle),
    ROW(cuMemFree),
    ROW(cuMemFreeAsync),
    ROW(cuMemFreeHost),
    ROW(cuMemGetAllocationGranularity),
    ROW(cuMemGetInfo),
    ROW(cuMemHostAlloc),
    ROW(cuMemHostGetDevicePointer),
    ROW(cuMemHostRegister),
    ROW(cuMemHostUnregister),
    ROW(cuMemImportFromShareableHandle),
    ROW(cuMemMap),
    ROW(cuMemRelease),
    ROW(cuMemSetAccess),
    ROW(cuMemUnmap),
    ROW(cuMemcpy),
    ROW(cuMemcpy2D),
    ROW(cuMemcpy2DAsync),
    ROW(cuMemcpy2DUnaligned),
    ROW(cuMemcpyAsync),
    ROW(cuMemcpyDtoD),
    ROW(cuMemcpyDtoDAsync),
    ROW(cuMemcpyDtoH),
    ROW(cuMemcpyDtoHAsync),
    ROW(cuMemcpyHtoD),
    ROW(cuMemcpyHtoDAsync),
    ROW(cuMemsetD16),
    ROW(cuMemsetD16Async),
    ROW(cuMemsetD2D16),
    ROW(cuMemsetD2D16Async),
    ROW(cuMemsetD2D32),
    ROW(cuMemsetD2D32Async),
    ROW(cuMemsetD2D8),
    ROW(cuMemsetD2D8Async),
    ROW(cuMemsetD32),
    ROW(cuMemsetD32Async),
    ROW(cuMemsetD8),
    ROW(cuMemsetD8Async),
    ROW(cuModuleGetFunction),
    ROW(cuModuleGetGlobal),
    ROW(cuModuleLoadData),
    ROW(cuModuleLoadDataEx),
    ROW(cuModuleUnload),
    ROW(cuOccupancyAvailableDynamicSMemPerBlock),
    ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    ROW(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    ROW(cuOccupancyMaxActiveClusters),
    ROW(cuOccupancyMaxPotentialClusterSize),
    ROW(cuStreamCreate),
    ROW(cuStreamCreateWithPriority),
    ROW(cuStreamDestroy),
    ROW(cuStreamQuery),
    ROW(cuStreamSynchronize),
    ROW(cuStreamWaitEvent),
    ROW(cuStreamWaitValue32),
    ROW(cuStreamWaitValue64),
    ROW(cuStreamWriteValue32),
    ROW(cuTensorMapEncodeIm2col),
    ROW(cuTensorMapEncodeTiled),
    ROW(cuGetProcAddress),
};

// What is not here does not exist: the bindings then say so by name.
CUresult CUDAAPI cuGetProcAddress(const char *name, void **address, int version, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *found) {
  (void)version, (void)flags;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strcmp(rows[i].name, name) != 0) continue;
    *address = rows[i].address;
    if (found != NULL) *found = CU_GET_PROC_ADDRESS_SUCCESS;
    return CUDA_SUCCESS;
  }
  *address = NULL;
  if (found != NULL) *found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_ERROR_NOT_FOUND;
}
