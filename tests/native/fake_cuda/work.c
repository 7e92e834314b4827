#define _GNU_SOURCE
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t gpu_clock_ns = 1000000;

// ---- streams and events: everything runs in the order in which it is enqueued, at once ----

static uintptr_t streams;

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags) {
  (void)flags;
  BEGIN(NULL);
  *stream = (CUstream)(0x2000 + 16 * ++streams);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority) {
  (void)priority;
  return cuStreamCreate(stream, flags);
}

CUresult CUDAAPI cuStreamDestroy(CUstream stream) {
  (void)stream;
  BEGIN(NULL);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream stream) {
  (void)stream;
  BEGIN("synchronise");
  note("synchronise", "");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamQuery(CUstream stream) {
  (void)stream;
  BEGIN("synchronise");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  (void)stream, (void)event, (void)flags;
  BEGIN(NULL);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags) {
  (void)flags;
  BEGIN(NULL);
  *event = (CUevent)calloc(1, sizeof(uint64_t));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy(CUevent event) {
  BEGIN(NULL);
  free(event);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream) {
  (void)stream;
  BEGIN(NULL);
  *(uint64_t *)event = gpu_clock_ns;
  note("event", "\"event\": %llu", (unsigned long long)(uintptr_t)event);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  (void)flags;
  return cuEventRecord(event, stream);
}

CUresult CUDAAPI cuEventQuery(CUevent event) {
  (void)event;
  BEGIN("synchronise");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventSynchronize(CUevent event) {
  (void)event;
  BEGIN("synchronise");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  BEGIN(NULL);
  if (*(uint64_t *)start == 0 || *(uint64_t *)end == 0) return CUDA_ERROR_INVALID_HANDLE;
  *milliseconds = (float)((double)(*(int64_t *)end - *(int64_t *)start) / 1e6);
  return CUDA_SUCCESS;
}

// ---- flags in memory that a stream waits for ----

enum { kFlags = 64 };

static struct {
  const void *address;
  uint64_t value;
  unsigned flags, bytes;
} flags_awaited[kFlags];
static int awaited;

static int is_there(int index) {
  uint64_t found = 0;
  memcpy(&found, flags_awaited[index].address, flags_awaited[index].bytes);
  const uint64_t value = flags_awaited[index].value;
  switch (flags_awaited[index].flags & 3) {
    case CU_STREAM_WAIT_VALUE_EQ:
      return found == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (found & value) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
      return ~(found | value) != 0;
    default:
      return flags_awaited[index].bytes == 4 ? (int32_t)((uint32_t)found - (uint32_t)value) >= 0
                                             : (int64_t)(found - value) >= 0;
  }
}

void wait_for_flags(void) {
  for (int i = 0; i < awaited; ++i) {
    if (is_there(i)) continue;
    note("stuck", "\"address\": %llu", (CUdeviceptr)flags_awaited[i].address);
    for (;;) pause();
  }
  awaited = 0;
}

static CUresult wait_value(CUdeviceptr address, uint64_t value, unsigned flags, unsigned bytes) {
  if (awaited == kFlags) return CUDA_ERROR_OUT_OF_MEMORY;
  flags_awaited[awaited].address = (const void *)address;
  flags_awaited[awaited].value = value;
  flags_awaited[awaited].flags = flags;
  flags_awaited[awaited].bytes = bytes;
  const int already = is_there(awaited++);
  note("wait_value", "\"address\": %llu, \"value\": %llu, \"already\": %s", address, (unsigned long long)value,
       already ? "true" : "false");
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  (void)stream;
  BEGIN(NULL);
  return wait_value(address, value, flags, 4);
}

CUresult CUDAAPI cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags) {
  (void)stream;
  BEGIN(NULL);
  return wait_value(address, value, flags, 8);
}

CUresult CUDAAPI cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  (void)stream, (void)flags;
  BEGIN(NULL);
  return guarded_copy((void *)address, &value, sizeof value);
}

// ---- tensor maps: 128 bytes that a test can read back ----

static CUresult encoded(CUtensorMap *map, const char *mode, CUtensorMapDataType type, cuuint32_t rank, void *address,
                        const cuuint64_t *dims, const cuuint64_t *strides) {
  static uint64_t made;
  if ((uintptr_t)map % 64 != 0 || (uintptr_t)address % 16 != 0 || rank < 1 || rank > 5) return CUDA_ERROR_INVALID_VALUE;
  uint64_t words[16] = {0x50414D454B4146, made++, (uint64_t)(uintptr_t)address, rank, (uint64_t)type};  // "FAKEMAP"
  memcpy(map, words, sizeof words);
  FILE *line = note_open("map");
  fprintf(line, ", \"number\": %llu, \"mode\": \"%s\", \"type\": %d, \"address\": %llu, \"dims\": [",
          (unsigned long long)words[1], mode, (int)type, (CUdeviceptr)address);
  for (cuuint32_t i = 0; i < rank; ++i) fprintf(line, "%s%llu", i ? ", " : "", (unsigned long long)dims[i]);
  fputs("], \"strides\": [", line);
  for (cuuint32_t i = 0; i + 1 < rank; ++i) fprintf(line, "%s%llu", i ? ", " : "", (unsigned long long)strides[i]);
  fputs("]", line);
  note_close(line);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                        const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                        const cuuint32_t *element_strides, CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  (void)box, (void)element_strides, (void)interleave, (void)swizzle, (void)l2, (void)fill;
  BEGIN("encode");
  return encoded(map, "tiled", type, rank, address, dims, strides);
}

CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                         const cuuint64_t *dims, const cuuint64_t *strides, const int *lower, const int *upper,
                                         cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *element_strides,
                                         CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                         CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill) {
  (void)lower, (void)upper, (void)channels, (void)pixels, (void)element_strides;
  (void)interleave, (void)swizzle, (void)l2, (void)fill;
  BEGIN("encode");
  return encoded(map, "im2col", type, rank, address, dims, strides);
}

// ---- launches ----

static void note_attributes(FILE *line, const CUlaunchConfig *config) {
  fputs(", \"attributes\": {", line);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute *one = &config->attrs[i];
    fprintf(line, "%s\"%d\": ", i ? ", " : "", (int)one->id);
    switch (one->id) {
      case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        fprintf(line, "[%u, %u, %u]", one->value.clusterDim.x, one->value.clusterDim.y, one->value.clusterDim.z);
        break;
      case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        fprintf(line, "[%u, %u, %u]", one->value.preferredClusterDim.x, one->value.preferredClusterDim.y,
                one->value.preferredClusterDim.z);
        break;
      default:
        fprintf(line, "[%d]", one->value.cooperative);  // the first number of every other attribute
    }
  }
  fputc('}', line);
}

static int fits(const CUlaunchConfig *config, const struct function *function) {
  const uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
  return config->gridDimX > 0 && config->gridDimY > 0 && config->gridDimZ > 0 && threads > 0 && threads <= (unsigned)function->most_threads &&
         config->sharedMemBytes <= (unsigned)function->dynamic_limit;
}

static CUresult launched(const CUlaunchConfig *config, CUfunction handle, void **parameters) {
  const struct function *function = (struct function *)handle;
  if (!fits(config, function)) return CUDA_ERROR_INVALID_VALUE;
  unsigned bytes = function->parameter_bytes;
  for (unsigned i = 0; i < function->count; ++i) {
    const unsigned end = function->parameters[i].offset + function->parameters[i].size;
    if (end > bytes) bytes = end;
  }
  unsigned char *block = calloc(bytes + 1, 1);
  for (unsigned i = 0; i < function->count; ++i) {
    memcpy(block + function->parameters[i].offset, parameters[i], function->parameters[i].size);
  }
  gpu_clock_ns += (uint64_t)scripted("kernel_ns", 10000);
  FILE *line = note_open("launch");
  fprintf(line, ", \"function\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared\": %u, \"stream\": %llu",
          function->name, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX, config->blockDimY,
          config->blockDimZ, config->sharedMemBytes, (unsigned long long)(uintptr_t)config->hStream);
  note_attributes(line, config);
  note_hex(line, "parameters", block, bytes);
  note_symbols(line, function->module);
  note_close(line);
  free(block);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra) {
  BEGIN("launch");
  return extra != NULL ? CUDA_ERROR_INVALID_VALUE : launched(config, function, parameters);
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                unsigned int sharedMemBytes, CUstream stream, void **parameters, void **extra) {
  BEGIN("launch");
  const CUlaunchConfig config = {.gridDimX = gridDimX,
                                 .gridDimY = gridDimY,
                                 .gridDimZ = gridDimZ,
                                 .blockDimX = blockDimX,
                                 .blockDimY = blockDimY,
                                 .blockDimZ = blockDimZ,
                                 .sharedMemBytes = sharedMemBytes,
                                 .hStream = stream};
  return extra != NULL ? CUDA_ERROR_INVALID_VALUE : launched(&config, function, parameters);
}
