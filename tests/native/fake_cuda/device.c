#include "fake.h"

#include <stdlib.h>
#include <string.h>

CUresult CUDAAPI cuInit(unsigned int flags) {
  BEGIN(NULL);
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDriverGetVersion(int *version) {
  *version = (int)scripted("driver_version", 13000);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text) {
  static char name[32];
  snprintf(name, sizeof name, "CUDA_ERROR_%d", (int)error);
  *text = name;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text) { return cuGetErrorName(error, text); }

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal) {
  BEGIN(NULL);
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetCount(int *count) {
  BEGIN(NULL);
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetName(char *name, int size, CUdevice device) {
  (void)device;
  BEGIN(NULL);
  snprintf(name, (size_t)size, "%s", scripted_text("name", "NVIDIA H200"));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  (void)device;
  BEGIN(NULL);
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = (char)i;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char *text, int size, CUdevice device) {
  (void)device;
  BEGIN(NULL);
  snprintf(text, (size_t)size, "0000:00:00.0");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  (void)device;
  BEGIN(NULL);
  *bytes = (size_t)scripted("memory", 150000000000);
  return CUDA_SUCCESS;
}

// A number that the script does not state is an error: a test shall not stand on what nobody measured.
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  (void)device;
  BEGIN(NULL);
  const long long found = scripted_at("attribute", (int)attribute, -1);
  if (found < 0) {
    note("unknown_attribute", "\"number\": %d", (int)attribute);
    return CUDA_ERROR_INVALID_VALUE;
  }
  *value = (int)found;
  return CUDA_SUCCESS;
}

// ---- contexts: there is one device, so a context is a number ----

static CUcontext current;
static uintptr_t contexts;

CUresult CUDAAPI cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device) {
  (void)parameters, (void)flags, (void)device;
  BEGIN(NULL);
  *context = current = (CUcontext)(0x1000 + 16 * ++contexts);
  note("context", "");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxDestroy(CUcontext context) {
  (void)context;
  current = NULL;  // also after a sticky error: the process is about to end
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)device;
  BEGIN(NULL);
  *context = (CUcontext)0x1000;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device) {
  (void)device;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  BEGIN(NULL);
  current = context;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context) {
  *context = current;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device) {
  BEGIN(NULL);
  *device = 0;
  return current == NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSynchronize(void) {
  BEGIN("synchronise");
  note("synchronise", "");
  return CUDA_SUCCESS;
}

static size_t limits[CU_LIMIT_MAX] = {[CU_LIMIT_STACK_SIZE] = 1024, [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20};

CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value) {
  BEGIN(NULL);
  if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  limits[limit] = value;
  note("limit", "\"number\": %d, \"value\": %zu", (int)limit, value);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetLimit(size_t *value, CUlimit limit) {
  BEGIN(NULL);
  if (limit < 0 || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  *value = (size_t)scripted_at("limit", (int)limit, (long long)limits[limit]);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxResetPersistingL2Cache(void) {
  BEGIN(NULL);
  note("reset_persisting_l2", "");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  BEGIN(NULL);
  if (least != NULL) *least = 0;
  if (greatest != NULL) *greatest = -5;
  return CUDA_SUCCESS;
}
