// Questions answered from the device table: each becomes an assumption of the plan (rule L6).
#pragma once

#include "journal.h"

namespace ptxboard {

// One `query` line: the call, what was asked, what was answered. All questions come before the first answer.
class Query {
 public:
  explicit Query(const char* call);
  ~Query();

  Query& ask(std::int64_t value);
  Query& ask(Text value);
  Query& answer(std::int64_t value);
  Query& answer(Text value);

 private:
  void turn();
  Line line_;
  bool answering_ = false;
};

// The table's value of a device attribute; refuses by name where the table does not say.
std::int64_t table_value(const char* call, int attribute);

}  // namespace ptxboard
