#pragma once

#include "query/execute/execution.h"
#include "query/optimise/access.h"

#include <span>
#include <string>
#include <string_view>

namespace partita::query {

// ValueTester: runs the tests of an access over values of an index. Not thread-safe; tests and environment outlive it.
class ValueTester {
 public:
  ValueTester(std::span<const Access::Test> tests, const Environment& environment) : tests_(tests), execution_(environment, 1) {}

  // Whether a value with this key form may pass all tests.
  bool may_pass(std::string_view key_form);
  // Set when the environment ends the query. From then on nothing passes.
  bool has_failed() const { return execution_.has_failed(); }
  const Error& failure() const { return execution_.failure(); }

 private:
  std::span<const Access::Test> tests_;
  Execution execution_;
  std::string scratch_;
};

}  // namespace partita::query
