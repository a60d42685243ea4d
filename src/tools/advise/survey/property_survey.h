#pragma once

#include "document/path.h"
#include "document/value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace partita::tools::advise {

// What some documents have at one path.
struct PropertyProfile {
  DocumentPath path = {};
  double present = 0;         // documents surveyed in which it is a string, number, boolean or null
  double present_share = 0;   // the same, of all that were surveyed
  double distinct = 0;        // values among those surveyed
  double mean_bytes = 0;      // of the value where it is present
  double string_share = 0;    // of the values
  double fraction_share = 0;  // of the values: numbers that are not whole
  double bool_share = 0;
  double time_share = 0;        // of the values: they tell a moment
  int64_t time_resolution = 0;  // the finest, in seconds

  bool is_time() const { return time_share >= 0.9; }
  // A whole day or more per value.
  bool is_date() const { return is_time() && time_resolution >= 86'400; }
};

// PropertySurvey: which properties documents have, from the first ones of a stream. Bounded memory: at most kPathsMax paths, down
// to kDepthMax, not through arrays. Not thread-safe.
class PropertySurvey {
 public:
  static constexpr size_t kPathsMax = 300;
  static constexpr size_t kDepthMax = 3;

  void add(const Value& document);
  uint64_t documents() const { return documents_; }
  // In the order of their texts.
  std::vector<PropertyProfile> properties() const;
  // The mean share that each top-level member has of a document's bytes.
  std::map<std::string, double> byte_shares() const;

 private:
  struct Counts {
    DocumentPath path = {};
    uint64_t present = 0;
    uint64_t strings = 0;
    uint64_t fractions = 0;
    uint64_t bools = 0;
    uint64_t times = 0;
    uint64_t bytes = 0;
    int64_t resolution = INT64_MAX;
    std::unordered_set<size_t> hashes = {};
  };

  void walk(const Value& object, DocumentPath& path);
  void note(const Value& value, const DocumentPath& path);

  uint64_t documents_ = 0;
  uint64_t bytes_ = 0;
  std::map<std::string, Counts> counts_;
  std::map<std::string, uint64_t> top_bytes_;
};

// Whether the name is the server's: _rid, _self, _etag, _attachments, _ts, _lsn.
bool is_system_property(const DocumentPath& path);

// Which property says best when a document was made, if any does: present everywhere, of fine resolution.
std::optional<DocumentPath> time_property_of(const std::vector<PropertyProfile>& properties);

}  // namespace partita::tools::advise
