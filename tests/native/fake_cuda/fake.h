// A stand-in for the CUDA driver on machines without one: device memory is host memory, work is done when it is enqueued,
// kernels are written down instead of run, time is what the script says. tests/fake_cuda.py has the script's words.
#pragma once

#include <cuda.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- script.c: what a test wants to happen, and the log it reads afterwards ----

// Count a call and do what the script has for it: the result to return at once, or CUDA_SUCCESS to go on. `kind` is the
// script's word for a group of calls ("launch", "synchronise"), or NULL. After a sticky error every call returns it.
CUresult begin(const char *function, const char *kind);
#define BEGIN(kind)                              \
  do {                                           \
    const CUresult told = begin(__func__, kind); \
    if (told != CUDA_SUCCESS) return told;       \
  } while (0)

// A number the script gives for a name, or `otherwise`.
long long scripted(const char *name, long long otherwise);
// The same with a number behind the name: attribute 16.
long long scripted_at(const char *name, int number, long long otherwise);
const char *scripted_text(const char *name, const char *otherwise);

// Write one line of JSON: begin with note_open("launch"), add members, end with note_close.
FILE *note_open(const char *what);
void note_hex(FILE *line, const char *key, const void *content, size_t size);
void note_close(FILE *line);
void note(const char *what, const char *members, ...);

// An error of a kernel that was launched: the next wait returns it, and all calls after that.
void make_sticky(CUresult result);

// ---- memory.c ----
CUresult guarded_copy(void *to, const void *from, size_t size);  // ILLEGAL_ADDRESS where either is not mapped

// ---- work.c ----
extern uint64_t gpu_clock_ns;
void wait_for_flags(void);  // hangs, as a GPU would, when a stream waits for a value that nobody has written
void settle(void);          // a wait of the host: flags, then pending errors of kernels

// ---- modules.c ----
struct parameter {
  unsigned offset, size;
};
struct function {
  char *name;
  struct module *module;
  struct parameter *parameters;
  unsigned count;
  unsigned parameter_bytes;
  int registers, static_shared, most_threads, dynamic_limit, non_portable, carve_out;
};
void note_symbols(FILE *line, const struct module *module);
