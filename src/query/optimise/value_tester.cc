#include "query/optimise/value_tester.h"

#include "query/execute/evaluator.h"

namespace partita::query {
namespace {

Datum datum_of(const KeyFormValue& value) {
  switch (value.type) {
    case ValueType::kNull: return Datum::null();
    case ValueType::kBool: return Datum::boolean(value.boolean);
    case ValueType::kNumber: return Datum::number(value.number);
    case ValueType::kString: return Datum::string(value.string);
    default: return {};
  }
}

}  // namespace

bool ValueTester::may_pass(std::string_view key_form) {
  if (tests_.empty()) return true;
  if (!execution_.keep_going()) return false;
  const auto value = read_key_form(key_form, scratch_);
  if (!value || !value->is_exact) return true;
  execution_.slot(0) = datum_of(*value);
  for (const Access::Test& test : tests_) {
    ArenaScope scope(execution_.arena());
    Datum result = evaluate(*test.scalar, execution_);
    if (!result.is_bool() || result.boolean() != test.wanted) return false;
  }
  return true;
}

}  // namespace partita::query
