#pragma once

#include "base/clock.h"
#include "base/random.h"
#include "document/stored/stored_writer.h"
#include "query/function/shape_cache.h"
#include "query/value/arena.h"
#include "query/value/datum.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

namespace partita::query {

// What a built-in function may use besides its arguments. Lives as long as one execution of a query; not thread-safe.
class FunctionContext {
 public:
  FunctionContext(Arena& arena, const Clock& clock, Random& random)
      : arena_(arena), clock_(clock), random_(random), started_ms_(clock.unix_ms()) {}

  Arena& arena() { return arena_; }
  const Clock& clock() const { return clock_; }
  // Time at which the query began: the same for all rows.
  int64_t started_ms() const { return started_ms_; }
  Random& random() { return random_; }
  ShapeCache& shapes() { return shapes_; }

  // Copies into the arena; undefined when that is exhausted.
  Datum string(std::string_view utf8);
  Datum integer(int64_t value);
  Datum stored(const StoredWriter& writer);
  Datum copy(const Datum& value);
  // Undefined unless all are strings.
  Datum concatenation(std::span<const Datum> strings);
  // Whether a result of so many bytes may be made. Asked before building what could be much larger than its arguments.
  bool has_room_for(size_t bytes) { return arena_.has_room_for(bytes); }

  // To be asked in loops that may take long: false when the query has used up its time, or nobody waits for it any more.
  bool keep_going() { return !keep_going_ || keep_going_(); }
  void set_keep_going(std::function<bool()> keep_going) { keep_going_ = std::move(keep_going); }

  // Before something that may take milliseconds and cannot ask keep_going() meanwhile: false on a thread that others wait for.
  // The query ends there then, and is run anew elsewhere.
  bool may_take_long() { return !may_take_long_ || may_take_long_(); }
  void set_may_take_long(std::function<bool()> may_take_long) { may_take_long_ = std::move(may_take_long); }

  // A cleared writer for one result. The next call clears it again.
  StoredWriter& writer();

 private:
  Arena& arena_;
  const Clock& clock_;
  Random& random_;
  int64_t started_ms_;
  StoredWriter writer_;
  ShapeCache shapes_;
  std::function<bool()> keep_going_;
  std::function<bool()> may_take_long_;
};

using Arguments = std::span<const Datum>;
using FunctionBody = Datum (*)(Arguments arguments, FunctionContext& context);

enum class AggregateKind : uint8_t { kNone, kAverage, kCount, kCountIf, kMax, kMin, kSum, kMakeList, kMakeSet };

// One built-in function of the language.
struct Function {
  static constexpr int kUnbounded = std::numeric_limits<int>::max();

  std::string_view name;  // in upper case
  int arguments_min;
  int arguments_max;
  FunctionBody body;                   // null: an aggregate, or something that only ORDER BY RANK knows
  bool takes_undefined = false;        // else one undefined argument makes the result undefined without a call
  bool is_constant_foldable = true;    // same arguments, same result
  bool can_sort = false;               // ORDER BY takes it although it is no path
  bool takes_metric = false;           // of vectors, in its fourth argument
  bool takes_language = false;         // of the text in its first argument; always, as one more argument behind all others
  const Function* in_plane = nullptr;  // what it means for containers with plane coordinates, if that differs
  AggregateKind aggregate = AggregateKind::kNone;
};

// Null when there is none of this name; case does not matter.
const Function* find_function(std::string_view name);

}  // namespace partita::query
