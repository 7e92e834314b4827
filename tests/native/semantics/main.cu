// The semantics program: every answer that the recording shim must give as the runtime gives it.
// One topic a process, so that no topic sees what another left behind. To measure again: compile for the device with the
// static runtime and -lcuda, run it once a topic and write "# topic" before what each run prints.
#include "clusters.h"
#include "copies.h"
#include "device_limits.h"
#include "devices.h"
#include "entry_points.h"
#include "functions.h"
#include "memory.h"
#include "streams.h"
#include "tensor_maps.h"

namespace {

struct Topic {
  const char* name;
  void (*report)();
};

constexpr Topic topics[] = {
    {"launches", report_launches},   {"clusters", report_clusters},         {"functions", report_functions},
    {"occupancy", report_occupancy}, {"memory", report_memory},             {"copies", report_copies},
    {"streams", report_streams},     {"devices", report_devices},           {"entry_points", report_entry_points},
    {"tensor_maps", report_tensor_maps}, {"limits", report_limits},       {"grids", report_grids},
};

}  // namespace

static int report(const char* name) {
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);  // a crash must not take lines with it
  for (Topic const& one : topics) {
    if (std::strcmp(one.name, name) != 0) continue;
    cudaFree(nullptr);
    one.report();
    return 0;
  }
  return 2;
}

#ifdef PTXBOARD_RECORDED
#include <tvm/ffi/c_api.h>

// Under the shim the topic is the number of an integer argument.
extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run(void*, const TVMFFIAny* arguments, int32_t, TVMFFIAny*) {
  return report(topics[arguments[0].v_int64].name);
}
#else
int main(int count, char** words) { return count == 2 ? report(words[1]) : 2; }
#endif
