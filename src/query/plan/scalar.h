#pragma once

#include "query/function/function.h"
#include "query/plan/operation.h"
#include "query/value/datum.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace partita::query {

struct Plan;
class LikePattern;
class ConstantSet;

enum class ScalarKind : uint8_t {
  kConstant,     // constant
  kSlot,         // the value bound to slot
  kMember,       // operands[0] . name
  kSubscript,    // operands[0] [ operands[1] ]
  kArray,        // operands
  kObject,       // names[i] : operands[i]
  kUnary,        // operation
  kBinary,       // operation
  kAnd,          // all operands
  kOr,           // all operands
  kConditional,  // operands[0] ? operands[1] : operands[2]
  kCoalesce,     // operands[0] ?? operands[1]
  kBetween,      // operands[0] in [operands[1], operands[2]]; is_negated
  kIn,           // operands[0] among operands[1..]; is_negated
  kLike,         // operands[0] matches operands[1], operands[2] is the escape character; is_negated
  kCall,         // function(operands)
  kUserCall,     // user function name(operands)
  kRowOf,        // the only row of plan, or undefined
  kExists,       // whether plan has a row; is_negated
  kArrayOf,      // all rows of plan
  kFirstOf,      // the first row of plan, or undefined
  kLastOf,       // the last row of plan, or undefined
};

// Scalar: an expression over the slots of a row, independent of the language that it was written in.
// Its height is bounded by whoever makes it, so that it can be walked by recursion.
struct Scalar {
  ScalarKind kind = ScalarKind::kConstant;
  Operation operation = Operation::kNone;
  bool is_negated = false;
  uint32_t slot = 0;
  const Function* function = nullptr;
  std::string constant;  // stored form; empty is undefined
  std::string name;
  std::vector<std::string> names;
  std::vector<Scalar> operands;
  std::unique_ptr<Plan> plan;
  // Prepared when the operands that they are made from are constant.
  std::shared_ptr<const LikePattern> like;
  std::shared_ptr<const ConstantSet> set;

  Scalar();
  explicit Scalar(ScalarKind kind_of);
  ~Scalar();
  Scalar(Scalar&&) noexcept;
  Scalar& operator=(Scalar&&) noexcept;

  static Scalar of_constant(std::string stored);
  static Scalar of_slot(uint32_t slot);

  bool is_constant() const { return kind == ScalarKind::kConstant; }
  // REQUIRES: is_constant(). Valid while this is neither moved nor destroyed.
  Datum constant_value() const { return constant.empty() ? Datum() : Datum::of(Value::view(constant)); }
};

// The expression as text: $2 is slot 2. Equal texts mean equal expressions.
void append_text(std::string& out, const Scalar& scalar);
std::string to_text(const Scalar& scalar);

}  // namespace partita::query
