#pragma once

#include "document/key/key_form.h"
#include "document/value_path.h"
#include "query/plan/plan.h"
#include "search/language.h"
#include "spatial/shape.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace partita::query {

// A path whose values rows are ordered by.
struct OrderedPath {
  ValuePath path;
  bool is_descending = false;

  bool operator==(const OrderedPath&) const = default;
};

// A path at which all documents that pass a filter have one value.
struct FixedPath {
  ValuePath path;
  std::string key_form;
};

// Where the index has an entry for every document by its values at several paths together, those of missing ones included.
struct CompositeEntries {
  ValuePath path;
  std::vector<ValuePath> fixed = {};  // the first of these paths, at which the value does not change,
  std::string prefix = {};            // and what entries begin with because of that
};

// IndexedPaths: what a plan may know about the index of the documents it runs over.
class IndexedPaths {
 public:
  virtual ~IndexedPaths() = default;
  // Whether the index has every value that any document has at this path.
  virtual bool is_indexed(const ValuePath& path) const = 0;
  // Entries by the values at any of the fixed paths and then at the ordered ones, in their order or, if the first of those is
  // descending, in the reverse. Nothing when there are none.
  virtual std::optional<CompositeEntries> composite(std::span<const OrderedPath>, std::span<const FixedPath>) const {
    return std::nullopt;
  }
  // Whether the index has the words of every text at this path, as they are in this language.
  virtual bool has_words(const ValuePath& path, Language language) const = 0;
  // How the index divides the space into cells, if it has those of every shape that any document has at this path.
  virtual std::optional<PlaneBox> cells_at(const ValuePath& path, Space space) const = 0;
};

// Access: which documents can pass a filter, said in terms of values in an index. A tree; immutable once made.
//
// Never leaves out a document that passes. An exact one lets no other through either.
struct Access {
  enum class Kind : uint8_t {
    kAll,     // any document
    kNone,    // no document
    kValues,  // those with a value in one of the ranges at the path, for which the tests hold too
    kAllOf,   // those that all operands let through
    kAnyOf,   // those that one of the operands lets through
  };

  Kind kind = Kind::kAll;
  bool is_exact = false;
  ValuePath path = {};
  std::vector<KeyFormRange> ranges = {};  // sorted, without overlap
  // Over the value at the path, in slot 0. Values of which the index does not know everything pass without test.
  struct Test {
    std::shared_ptr<const Scalar> scalar;
    bool wanted = true;
  };
  std::vector<Test> tests = {};
  std::vector<Access> operands = {};
  // Which element it is, for paths through arrays: two predicates on one element may be put together, else they may be met by
  // two. 0 is any element.
  uint32_t element_of = 0;

  static Access all(bool is_exact) { return {.kind = Kind::kAll, .is_exact = is_exact}; }
  static Access none() { return {.kind = Kind::kNone, .is_exact = true}; }
  bool is_all() const { return kind == Kind::kAll; }
  bool is_none() const { return kind == Kind::kNone; }
};

// A conjunction keeps predicates of so many values at most: more hardly narrow further, and each is read by a cursor of its own.
inline constexpr size_t kConjunctsMax = 64;
// A disjunction with more alternatives lets any document through.
inline constexpr size_t kAlternativesMax = 1000;

// Those that all let through.
Access all_of(std::vector<Access> operands);
Access both_of(Access left, Access right);
// Those that one of them lets through. Ranges of one path become one operand.
Access any_of(std::vector<Access> operands);

// What the plan's filter demands of the documents that it scans. A plan that scans none gets kAll.
Access access_of(const Plan& plan, const IndexedPaths& indexed);

// The same, also where the plan compares rows with those that the filter drops.
Access access_of_passing(const Plan& plan, const IndexedPaths& indexed);

// The same for a plan that only counts: of the documents that pass, those with a value for the argument of its COUNT.
Access access_of_counted(const Plan& plan, const IndexedPaths& indexed);

// Whether it lets through those with one value at a path, without further tests.
bool is_equality(const Access& access);
// The paths at which it lets only one value through, with the value.
std::vector<FixedPath> fixed_paths(const Access& access);

// One line per predicate, operands indented: /age [30, 40) or (40, ...)
std::string to_text(const Access& access);

}  // namespace partita::query
