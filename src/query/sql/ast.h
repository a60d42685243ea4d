#pragma once

#include "query/plan/operation.h"
#include "query/sql/diagnostic.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// The syntax tree of a query: what was written, before any name is looked up.
namespace partita::query::sql {

struct Query;
struct Expression;
using ExpressionPointer = std::unique_ptr<Expression>;

enum class ExpressionKind : uint8_t {
  kUndefined,
  kNull,
  kTrue,
  kFalse,
  kNumber,       // text: its JSON number token
  kString,       // text: its characters
  kParameter,    // text: the name with its @
  kName,         // text: an alias
  kMember,       // operands[0] . text
  kIndex,        // operands[0] [ operands[1] ]
  kArray,        // operands
  kObject,       // names[i] : operands[i]
  kUnary,        // operation, operands[0]
  kBinary,       // operation, operands[0..1]
  kAnd,          // two or more operands
  kOr,           // two or more operands
  kConditional,  // operands[0] ? operands[1] : operands[2]
  kCoalesce,     // operands[0] ?? operands[1]
  kBetween,      // operands[0] BETWEEN operands[1] AND operands[2]; is_negated
  kIn,           // operands[0] IN (operands[1..]); is_negated
  kLike,         // operands[0] LIKE operands[1] [ESCAPE operands[2]]; is_negated
  kCall,         // text(operands)
  kUserCall,     // udf.text(operands)
  kSubquery,     // (query)
  kExists,       // EXISTS(query)
  kArrayOf,      // ARRAY(query)
  kAllOf,        // ALL(query)
  kFirstOf,      // FIRST(query)
  kLastOf,       // LAST(query)
  kVerbatim,     // text as it is: a placeholder that a client fills in. Never made by the parser
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kUndefined;
  Operation operation = Operation::kNone;
  bool is_negated = false;
  bool is_path = false;  // an alias, or members and constant subscripts of one
  uint16_t height = 1;   // of this tree, sub-queries included; bounded, so that walking it by recursion is safe
  SourceRange range;
  std::string text;
  std::vector<std::string> names;
  std::vector<ExpressionPointer> operands;
  std::unique_ptr<Query> query;

  Expression(ExpressionKind kind_of, SourceRange range_of);
  ~Expression();
};

// A deep copy.
ExpressionPointer copy_of(const Expression& expression);

struct SelectItem {
  ExpressionPointer expression;
  std::optional<std::string> alias;
};

struct Selection {
  enum class Kind : uint8_t { kStar, kValue, kList };

  Kind kind = Kind::kStar;
  SourceRange range;              // of the star
  std::vector<SelectItem> items;  // one for kValue
};

// One source of FROM; all but the first come after a JOIN.
struct FromSource {
  std::optional<std::string> alias;
  bool is_iteration = false;     // alias IN ...: one row per array element
  ExpressionPointer expression;  // a path (or, after IN, any expression), or
  std::unique_ptr<Query> query;  // a sub-query
  SourceRange body_range;        // of the path or sub-query, without the alias
  SourceRange range;
};

struct OrderItem {
  ExpressionPointer expression;
  std::optional<bool> is_descending;
};

// TOP, OFFSET and LIMIT counts: kNumber or kParameter.
struct Query {
  bool is_distinct = false;
  ExpressionPointer top;
  Selection selection;
  std::vector<FromSource> from;
  ExpressionPointer where;
  std::vector<ExpressionPointer> group_by;
  std::vector<OrderItem> order_by;
  bool is_rank = false;  // ORDER BY RANK
  ExpressionPointer offset;
  ExpressionPointer limit;
  SourceRange top_range;  // these three: of the whole clause
  SourceRange order_by_range;
  SourceRange offset_range;
  SourceRange range;
  uint16_t height = 0;  // of the highest expression in it
};

Query copy_of(const Query& query);

}  // namespace partita::query::sql
