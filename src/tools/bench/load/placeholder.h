#pragma once

#include "base/result.h"
#include "tools/bench/load/random_source.h"
#include "tools/bench/load/zipf.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace partita::tools::bench {

// What a document is made from. Equal subjects give equal documents.
struct Subject {
  uint64_t seed = 0;
  uint64_t number = 0;   // of the document
  uint64_t version = 0;  // how often it was replaced; ids and keys do not depend on it
  uint64_t documents_per_key = 1;
  std::string_view id_prefix = "item-";
};

// Placeholder: what stands between {{ and }} in a template (docs/bench.md). Immutable and thread-safe.
class Placeholder {
 public:
  // kInvalidInput says what is wrong with it and what to write instead.
  static Result<Placeholder> parse(std::string_view text);

  // As it stands between the quotes of a JSON string. `place`: which placeholder of its template this is, so that two alike give
  // different values.
  void append_text(std::string& out, const Subject& subject, uint64_t place) const;
  // Whether it gives a number or a boolean, which stands without quotes where the placeholder is a whole string.
  bool is_bare() const { return is_bare_; }
  bool is_padding() const { return std::holds_alternative<Padding>(what_); }
  // Whether no two documents have the same value here.
  bool is_unique() const;

 private:
  struct Id {};
  struct Key {};
  struct Number {};
  struct Padding {};  // filled by the template
  struct Uuid {};
  struct Boolean {};
  struct Sequence {
    int64_t first;
    int64_t step;
  };
  struct Letters {
    uint64_t least;
    uint64_t most;
  };
  struct Integer {
    int64_t least;
    int64_t most;
  };
  struct Decimal {
    double least;
    double most;
    int digits;
  };
  struct Date {
    int64_t from;  // seconds since 1970
    int64_t to;
  };
  struct Choice {
    std::vector<std::string> values;  // escaped for JSON
  };
  struct Skewed {
    Zipf ranks;
  };
  using What = std::variant<Id, Key, Number, Padding, Uuid, Boolean, Sequence, Letters, Integer, Decimal, Date, Choice, Skewed>;
  struct Printer;
  struct Reader;

  Placeholder(What what, bool is_bare) : what_(std::move(what)), is_bare_(is_bare) {}

  What what_;
  bool is_bare_;
};

// What {{id}} stands for.
std::string id_of(const Subject& subject);

// So many random lower-case letters and digits.
void append_letters(std::string& out, uint64_t count, RandomSource& random);

}  // namespace partita::tools::bench
