#include "queries.h"

#include "ending.h"
#include "state.h"

namespace ptxboard {

Query::Query(const char* call) : line_("query") { line_.text("call", call).list_open("arguments"); }

Query::~Query() {
  turn();
  line_.list_close();
}

void Query::turn() {
  if (answering_) return;
  line_.list_close().list_open("answer");
  answering_ = true;
}

Query& Query::ask(std::int64_t value) {
  line_.item(value);
  return *this;
}

Query& Query::ask(Text value) {
  line_.item(value);
  return *this;
}

Query& Query::answer(std::int64_t value) {
  turn();
  line_.item(value);
  return *this;
}

Query& Query::answer(Text value) {
  turn();
  line_.item(value);
  return *this;
}

std::int64_t table_value(const char* call, int attribute) {
  DeviceTable const& device = state().brief.device;
  if (!device.knows(attribute)) {
    refuse(call, "device attribute %d is not in the table of %.*s", attribute, static_cast<int>(device.name.size),
           device.name.data);
  }
  return device.values[attribute];
}

}  // namespace ptxboard
