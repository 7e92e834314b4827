#define _GNU_SOURCE
#include "fake.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kRules = 1024, kText = 256 };

struct rule {
  char word[64], name[64];  // "fail cuMemCreate", "attribute 16", "kernel_ns"
  long long first, second;
  char text[kText];
};

static struct rule rules[kRules];
static int rule_count = -1;
static struct {
  char name[64];
  int calls;
} counts[kRules];
static int count_used;
static CUresult sticky;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char log_path[4096];

// The script lies beside the library ("libcuda.so.1.script") or where FAKE_CUDA_SCRIPT says: a jail has no environment.
static void read_script(void) {
  rule_count = 0;
  char path[4096] = "";
  Dl_info self;
  if (getenv("FAKE_CUDA_SCRIPT") != NULL) {
    snprintf(path, sizeof path, "%s", getenv("FAKE_CUDA_SCRIPT"));
  } else if (dladdr((void *)read_script, &self)) {
    snprintf(path, sizeof path, "%s.script", self.dli_fname);
  }
  FILE *file = fopen(path, "re");
  if (file == NULL) return;
  char line[4096];
  while (fgets(line, sizeof line, file) != NULL && rule_count < kRules) {
    struct rule *rule = &rules[rule_count];
    memset(rule, 0, sizeof *rule);
    if (sscanf(line, "log %4095s", log_path) == 1) continue;
    if (sscanf(line, "%63s %63s %lld %lld", rule->word, rule->name, &rule->first, &rule->second) < 2) continue;
    const char *rest = strchr(line, ' ');
    snprintf(rule->text, kText, "%.*s", (int)strcspn(rest + 1, "\n"), rest + 1);
    ++rule_count;
  }
  fclose(file);
}

static void ready(void) {
  if (rule_count < 0) read_script();
}

static int counted(const char *name) {
  for (int i = 0; i < count_used; ++i) {
    if (strcmp(counts[i].name, name) == 0) return ++counts[i].calls;
  }
  if (count_used == kRules) abort();
  snprintf(counts[count_used].name, sizeof counts[0].name, "%s", name);
  return counts[count_used++].calls = 1;
}

static void forever(void) {
  for (;;) pause();
}

static int lasts(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return 1;
    default:
      return 0;
  }
}

void make_sticky(CUresult result) {
  if (sticky == CUDA_SUCCESS) sticky = result;
}

static CUresult pending = CUDA_SUCCESS;

static CUresult apply(const char *name, int call) {
  for (int i = 0; i < rule_count; ++i) {
    const struct rule *rule = &rules[i];
    if (strcmp(rule->name, name) != 0 || rule->first != call) continue;
    if (strcmp(rule->word, "die") == 0) _exit((int)rule->second);
    if (strcmp(rule->word, "crash") == 0) abort();
    if (strcmp(rule->word, "hang") == 0) forever();
    if (strcmp(rule->word, "fault") == 0) pending = (CUresult)rule->second;  // the call itself succeeds
    if (strcmp(rule->word, "fail") == 0) {
      if (lasts((CUresult)rule->second)) make_sticky((CUresult)rule->second);
      return (CUresult)rule->second;
    }
  }
  return CUDA_SUCCESS;
}

CUresult begin(const char *function, const char *kind) {
  char name[64];
  snprintf(name, sizeof name, "%s", function);
  char *version = strstr(name, "_v");
  if (version != NULL) *version = 0;
  pthread_mutex_lock(&lock);
  ready();
  CUresult result = sticky;
  const int wait = kind != NULL && strcmp(kind, "synchronise") == 0;
  if (result == CUDA_SUCCESS && wait) {
    wait_for_flags();
    if (pending != CUDA_SUCCESS) make_sticky(pending);
    result = sticky;
  }
  if (result == CUDA_SUCCESS) result = apply(name, counted(name));
  if (result == CUDA_SUCCESS && kind != NULL) result = apply(kind, counted(kind));
  pthread_mutex_unlock(&lock);
  if (result != CUDA_SUCCESS) note("refused", "\"call\": \"%s\", \"code\": %d", name, (int)result);
  return result;
}

long long scripted(const char *name, long long otherwise) {
  ready();
  for (int i = 0; i < rule_count; ++i) {
    if (strcmp(rules[i].word, name) == 0) return strtoll(rules[i].name, NULL, 0);
  }
  return otherwise;
}

long long scripted_at(const char *name, int number, long long otherwise) {
  ready();
  for (int i = 0; i < rule_count; ++i) {
    if (strcmp(rules[i].word, name) == 0 && strtol(rules[i].name, NULL, 0) == number) return rules[i].first;
  }
  return otherwise;
}

const char *scripted_text(const char *name, const char *otherwise) {
  ready();
  for (int i = 0; i < rule_count; ++i) {
    if (strcmp(rules[i].word, name) == 0) return rules[i].text;
  }
  return otherwise;
}

static char *line_text;
static size_t line_size;

FILE *note_open(const char *what) {
  ready();
  FILE *line = open_memstream(&line_text, &line_size);
  if (line == NULL) abort();
  fprintf(line, "{\"what\": \"%s\"", what);
  return line;
}

void note_hex(FILE *line, const char *key, const void *content, size_t size) {
  fprintf(line, ", \"%s\": \"", key);
  for (size_t i = 0; i < size; ++i) fprintf(line, "%02x", ((const unsigned char *)content)[i]);
  fputc('"', line);
}

void note_close(FILE *line) {
  fputs("}\n", line);
  fclose(line);
  const int file = log_path[0] != 0 ? open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
  if (file >= 0) {
    if (write(file, line_text, line_size) != (ssize_t)line_size) abort();
    close(file);
  }
  free(line_text);
}

void note(const char *what, const char *members, ...) {
  FILE *line = note_open(what);
  va_list arguments;
  va_start(arguments, members);
  if (members[0] != 0) {
    fputs(", ", line);
    vfprintf(line, members, arguments);
  }
  va_end(arguments);
  note_close(line);
}
