#define _GNU_SOURCE
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t kGranule = 2 << 20;

struct allocation {
  int file;
  size_t size;
};

// ---- virtual memory: an allocation is a memory file, so that another process maps the same bytes ----

CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *property,
                                               CUmemAllocationGranularity_flags flag) {
  (void)property, (void)flag;
  BEGIN(NULL);
  *granularity = kGranule;
  return CUDA_SUCCESS;
}

static CUmemGenericAllocationHandle handle_of(int file, size_t size) {
  struct allocation *made = malloc(sizeof *made);
  if (made == NULL) abort();
  *made = (struct allocation){file, size};
  return (CUmemGenericAllocationHandle)(uintptr_t)made;
}

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *property,
                             unsigned long long flags) {
  (void)flags;
  BEGIN(NULL);
  if (size == 0 || size % kGranule != 0 || property->type != CU_MEM_ALLOCATION_TYPE_PINNED) return CUDA_ERROR_INVALID_VALUE;
  if ((long long)size > scripted("memory", 150000000000)) return CUDA_ERROR_OUT_OF_MEMORY;
  const int file = memfd_create("device", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, (off_t)size) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = handle_of(file, size);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle) {
  BEGIN(NULL);
  struct allocation *allocation = (struct allocation *)(uintptr_t)handle;
  close(allocation->file);
  free(allocation);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle,
                                              CUmemAllocationHandleType type, unsigned long long flags) {
  (void)flags;
  BEGIN(NULL);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  *(int *)shareable = fcntl(((struct allocation *)(uintptr_t)handle)->file, F_DUPFD_CLOEXEC, 0);
  return *(int *)shareable < 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable,
                                                CUmemAllocationHandleType type) {
  BEGIN(NULL);
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  struct stat stat;
  const int file = fcntl((int)(intptr_t)shareable, F_DUPFD_CLOEXEC, 0);
  if (file < 0 || fstat(file, &stat) != 0 || stat.st_size == 0) return CUDA_ERROR_INVALID_VALUE;
  *handle = handle_of(file, (size_t)stat.st_size);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr hint,
                                     unsigned long long flags) {
  (void)hint, (void)flags;
  BEGIN(NULL);
  const size_t step = alignment > kGranule ? alignment : kGranule;
  if (size == 0 || size % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
  char *found = mmap(NULL, size + step, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  char *start = (char *)(((uintptr_t)found + step - 1) / step * step);
  if (start > found) munmap(found, (size_t)(start - found));
  munmap(start + size, step - (size_t)(start - found));
  *address = (CUdeviceptr)start;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr address, size_t size) {
  BEGIN(NULL);
  return munmap((void *)address, size) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                          unsigned long long flags) {
  (void)flags;
  BEGIN(NULL);
  const struct allocation *allocation = (struct allocation *)(uintptr_t)handle;
  if (offset != 0 || size != allocation->size) return CUDA_ERROR_INVALID_VALUE;
  void *found = mmap((void *)address, size, PROT_NONE, MAP_SHARED | MAP_FIXED, allocation->file, 0);
  struct stat stat;
  if (found == MAP_FAILED || fstat(allocation->file, &stat) != 0) return CUDA_ERROR_INVALID_VALUE;
  note("mapped", "\"address\": %llu, \"bytes\": %zu, \"inode\": %llu", address, size, (unsigned long long)stat.st_ino);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr address, size_t size) {
  BEGIN(NULL);
  void *found =
      mmap((void *)address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return found == MAP_FAILED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// `read_only_refused 1` in the script: a driver that maps nothing read-only.
CUresult CUDAAPI cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count) {
  BEGIN(NULL);
  if (count != 1) return CUDA_ERROR_INVALID_VALUE;
  const int reading = access[0].flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
  if (reading && scripted("read_only_refused", 0)) return CUDA_ERROR_NOT_SUPPORTED;
  const int protection = reading ? PROT_READ : PROT_READ | PROT_WRITE;
  return mprotect((void *)address, size, protection) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- plain memory, with its size kept in front of it ----

CUresult CUDAAPI cuMemAlloc(CUdeviceptr *address, size_t size) {
  BEGIN("allocate");
  if (size == 0) return CUDA_ERROR_INVALID_VALUE;
  if ((long long)size > scripted("memory", 150000000000)) return CUDA_ERROR_OUT_OF_MEMORY;
  char *found = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  *(size_t *)found = size;
  *address = (CUdeviceptr)(found + 4096);
  note("allocate", "\"address\": %llu, \"bytes\": %zu", *address, size);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  BEGIN(NULL);
  if (address == 0) return CUDA_SUCCESS;
  char *found = (char *)address - 4096;
  note("free", "\"address\": %llu", address);
  return munmap(found, *(size_t *)found + 4096) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *address, size_t size, CUstream stream) {
  (void)stream;
  return cuMemAlloc(address, size);
}

CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  (void)stream;
  return cuMemFree(address);
}

CUresult CUDAAPI cuMemHostAlloc(void **address, size_t size, unsigned int flags) {
  (void)flags;
  BEGIN(NULL);
  *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return *address == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAllocHost(void **address, size_t size) { return cuMemHostAlloc(address, size, 0); }

CUresult CUDAAPI cuMemFreeHost(void *address) {
  (void)address;  // the process is short
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *device, void *address, unsigned int flags) {
  (void)flags;
  BEGIN(NULL);
  *device = (CUdeviceptr)address;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostRegister(void *address, size_t size, unsigned int flags) {
  (void)address, (void)size, (void)flags;
  BEGIN(NULL);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostUnregister(void *address) {
  (void)address;
  BEGIN(NULL);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetInfo(size_t *free_bytes, size_t *total) {
  BEGIN(NULL);
  *free_bytes = *total = (size_t)scripted("memory", 150000000000);
  return CUDA_SUCCESS;
}

// ---- copies and memsets: an address that is not mapped faults as a kernel's would ----

static __thread sigjmp_buf escape;
static __thread int guarded;

static void caught(int number) {
  if (guarded) siglongjmp(escape, number);
  signal(number, SIG_DFL);
  raise(number);
}

static void catch_faults(struct sigaction *before) {
  struct sigaction action = {.sa_handler = caught};
  sigaction(SIGSEGV, &action, &before[0]);
  sigaction(SIGBUS, &action, &before[1]);
  guarded = 1;
}

static void release_faults(const struct sigaction *before) {
  guarded = 0;
  sigaction(SIGSEGV, &before[0], NULL);
  sigaction(SIGBUS, &before[1], NULL);
}

CUresult guarded_copy(void *to, const void *from, size_t size) {
  struct sigaction before[2];
  catch_faults(before);
  volatile CUresult result = CUDA_SUCCESS;
  if (sigsetjmp(escape, 1) == 0) {
    memmove(to, from, size);
  } else {
    result = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  release_faults(before);
  if (result != CUDA_SUCCESS) make_sticky(result);
  return result;
}

enum { kShown = 4096 };  // bytes of a copy from the host that the log holds

static CUresult copied(const char *kind, void *to, const void *from, size_t size) {
  gpu_clock_ns += (uint64_t)scripted("copy_ns", 1000);
  const CUresult result = guarded_copy(to, from, size);
  if (result != CUDA_SUCCESS) return result;
  FILE *line = note_open("copy");
  fprintf(line, ", \"kind\": \"%s\", \"to\": %llu, \"from\": %llu, \"bytes\": %zu", kind, (CUdeviceptr)to,
          (CUdeviceptr)from, size);
  if (strcmp(kind, "HtoD") == 0) note_hex(line, "content", from, size < kShown ? size : kShown);
  note_close(line);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size) {
  BEGIN("copy");
  return copied("HtoD", (void *)to, from, size);
}

CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream) {
  (void)stream;
  BEGIN("copy");
  return copied("HtoD", (void *)to, from, size);
}

CUresult CUDAAPI cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size) {
  BEGIN("synchronise");
  return copied("DtoH", to, (const void *)from, size);
}

CUresult CUDAAPI cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream) {
  (void)stream;
  BEGIN("copy");
  return copied("DtoH", to, (const void *)from, size);
}

CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size) {
  BEGIN("copy");
  return copied("DtoD", (void *)to, (const void *)from, size);
}

CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  (void)stream;
  return cuMemcpyDtoD(to, from, size);
}

CUresult CUDAAPI cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) {
  BEGIN("copy");
  return copied("any", (void *)to, (const void *)from, size);
}

CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  (void)stream;
  return cuMemcpy(to, from, size);
}

static CUresult copied_rows(const CUDA_MEMCPY2D *copy) {
  const char *from = copy->srcMemoryType == CU_MEMORYTYPE_HOST ? copy->srcHost : (const char *)copy->srcDevice;
  char *to = copy->dstMemoryType == CU_MEMORYTYPE_HOST ? copy->dstHost : (char *)copy->dstDevice;
  const char *kind = copy->srcMemoryType == CU_MEMORYTYPE_HOST   ? "HtoD"
                     : copy->dstMemoryType == CU_MEMORYTYPE_HOST ? "DtoH"
                                                                 : "DtoD";
  from += copy->srcXInBytes + copy->srcY * copy->srcPitch;
  to += copy->dstXInBytes + copy->dstY * copy->dstPitch;
  for (size_t row = 0; row < copy->Height; ++row) {
    const CUresult result = copied(kind, to + row * copy->dstPitch, from + row * copy->srcPitch, copy->WidthInBytes);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *copy) {
  BEGIN("copy");
  return copied_rows(copy);
}

CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) {
  BEGIN("copy");
  return copied_rows(copy);
}

CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream) {
  (void)stream;
  BEGIN("copy");
  return copied_rows(copy);
}

static CUresult filled(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t columns, size_t rows) {
  gpu_clock_ns += (uint64_t)scripted("copy_ns", 1000);
  struct sigaction before[2];
  catch_faults(before);
  volatile CUresult result = CUDA_SUCCESS;
  if (sigsetjmp(escape, 1) == 0) {
    for (size_t row = 0; row < rows; ++row) {
      char *start = (char *)to + row * pitch;
      for (size_t i = 0; i < columns; ++i) memcpy(start + i * width, &value, width);
    }
  } else {
    result = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  release_faults(before);
  if (result != CUDA_SUCCESS) {
    make_sticky(result);
    return result;
  }
  note("memset", "\"to\": %llu, \"pitch\": %zu, \"value\": %u, \"width\": %zu, \"columns\": %zu, \"rows\": %zu", to, pitch,
       value, width, columns, rows);
  return CUDA_SUCCESS;
}

#define MEMSETS(bits, type)                                                                                                  \
  CUresult CUDAAPI cuMemsetD##bits(CUdeviceptr to, type value, size_t count) {                                               \
    BEGIN("memset");                                                                                                         \
    return filled(to, 0, value, bits / 8, count, 1);                                                                         \
  }                                                                                                                          \
  CUresult CUDAAPI cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream) {                       \
    (void)stream;                                                                                                            \
    BEGIN("memset");                                                                                                         \
    return filled(to, 0, value, bits / 8, count, 1);                                                                         \
  }                                                                                                                          \
  CUresult CUDAAPI cuMemsetD2D##bits(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) {                \
    BEGIN("memset");                                                                                                         \
    return filled(to, pitch, value, bits / 8, width, height);                                                                \
  }                                                                                                                          \
  CUresult CUDAAPI cuMemsetD2D##bits##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height,           \
                                            CUstream stream) {                                                               \
    (void)stream;                                                                                                            \
    BEGIN("memset");                                                                                                         \
    return filled(to, pitch, value, bits / 8, width, height);                                                                \
  }

MEMSETS(8, unsigned char)
MEMSETS(16, unsigned short)
MEMSETS(32, unsigned int)
