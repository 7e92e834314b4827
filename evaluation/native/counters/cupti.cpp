#include "cupti.h"

#include <dlfcn.h>

#include <cstdio>

namespace ptxboard {

std::int32_t fail(std::int32_t status, const char* call, const char* words, PtxboardError* error) {
  if (error != nullptr) {
    error->code = 0;
    std::snprintf(error->call, sizeof error->call, "%s", call);
    std::snprintf(error->words, sizeof error->words, "%s", words);
  }
  return status;
}

std::int32_t check(const Cupti& cupti, CUptiResult result, const char* call, PtxboardError* error) {
  if (result == CUPTI_SUCCESS) return PTXBOARD_OK;
  const char* words = nullptr;
  if (cupti.cuptiGetResultString(result, &words) != CUPTI_SUCCESS || words == nullptr) words = "no words for this code";
  fail(PTXBOARD_CUPTI, call, words, error);
  if (error != nullptr) error->code = static_cast<std::int32_t>(result);
  return PTXBOARD_CUPTI;
}

std::int32_t Cupti::load(const char* library, PtxboardError* error) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* const words = dlerror();
    return fail(PTXBOARD_NO_LIBRARY, "dlopen", words == nullptr ? "no reason given" : words, error);
  }
#define PTXBOARD_LOOK_UP(name)                                                                      \
  name = reinterpret_cast<decltype(name)>(dlsym(loaded, #name));                                    \
  if (name == nullptr) return fail(PTXBOARD_NO_LIBRARY, #name, "the library lacks this function", error);
  PTXBOARD_CUPTI_FUNCTIONS(PTXBOARD_LOOK_UP)
#undef PTXBOARD_LOOK_UP
  return PTXBOARD_OK;
}

}  // namespace ptxboard
