#include "tools/advise/score/candidate.h"

#include "base/check.h"
#include "document/json/json.h"
#include "document/key/murmur3.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace partita::tools::advise {
namespace {

std::string text_of(const PartitionKeyComponent& component) {
  struct Texts {
    std::string operator()(UndefinedKey) const { return {}; }
    std::string operator()(NullKey) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(double value) const {
      std::string text;
      append_json_number(text, value);
      return text;
    }
    std::string operator()(const std::string& value) const { return value; }
  };
  return std::visit(Texts{}, component);
}

// c["a"]["b"], or c.a.b where the names allow it.
std::string expression_of(const DocumentPath& path) {
  std::string out = "c";
  for (const std::string& segment : path.segments) {
    const bool is_plain = !segment.empty() && std::ranges::all_of(segment, [](char character) {
      return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_' ||
             (character >= '0' && character <= '9');
    }) && (segment.front() < '0' || segment.front() > '9');
    if (is_plain) {
      out += '.';
      out += segment;
    } else {
      out += '[';
      append_json_string(out, segment);
      out += ']';
    }
  }
  return out;
}

PartitionKeyDefinition definition_over(const std::vector<DocumentPath>& paths) {
  using Kind = PartitionKeyDefinition::Kind;
  return {.paths = paths, .kind = paths.size() > 1 ? Kind::kMultiHash : Kind::kHash, .version = 2};
}

}  // namespace

PartitionKeyDefinition Candidate::definition() const {
  if (is_synthetic()) return definition_over({DocumentPath{{kSyntheticProperty}}});
  return definition_over(sources);
}

std::string Candidate::name() const {
  std::vector<std::string> texts;
  for (const DocumentPath& source : sources) texts.push_back(source.text());
  switch (kind) {
    case Kind::kPaths: return fmt::format("{}", fmt::join(texts, ", "));
    case Kind::kConcatenation: return fmt::format("{}", fmt::join(texts, " + "));
    case Kind::kRandomSuffix: return fmt::format("{} + random 1..{}", texts[0], buckets);
    case Kind::kHashSuffix: return fmt::format("{} + hash of {} 1..{}", texts[0], texts[1], buckets);
  }
  return {};
}

std::string Candidate::computed_query() const {
  const auto text = [](const DocumentPath& path) { return fmt::format("ToString({})", expression_of(path)); };
  switch (kind) {
    case Kind::kPaths: break;
    case Kind::kConcatenation: {
      std::vector<std::string> parts;
      for (const DocumentPath& source : sources) parts.push_back(text(source));
      return fmt::format("SELECT VALUE CONCAT({}) FROM c", fmt::join(parts, ", '-', "));
    }
    case Kind::kRandomSuffix:
      return fmt::format("SELECT VALUE CONCAT({}, '.', ToString(RANDOM_BUCKET({}))) FROM c", text(sources[0]), buckets);
    case Kind::kHashSuffix:
      return fmt::format("SELECT VALUE CONCAT({}, '.', ToString(HASH_BUCKET({}, {}))) FROM c", text(sources[0]),
                         expression_of(sources[1]), buckets);
  }
  return {};
}

PartitionKey Candidate::key_of(std::span<const PartitionKeyComponent* const> values, uint64_t draw) const {
  PartitionKey key;
  if (kind == Kind::kPaths) {
    key.components.reserve(values.size());
    for (const PartitionKeyComponent* value : values) key.components.push_back(*value);
    return key;
  }
  const bool lacks_source =
      std::ranges::any_of(values, [](const auto* value) { return std::holds_alternative<UndefinedKey>(*value); });
  if (lacks_source) return {{UndefinedKey{}}};
  std::string text = text_of(*values[0]);
  if (kind == Kind::kConcatenation) {
    for (const PartitionKeyComponent* value : values.subspan(1)) text += '-' + text_of(*value);
  } else {
    const uint64_t drawn = kind == Kind::kRandomSuffix ? draw : murmur3_x86_32(text_of(*values[1]));
    text += '.' + std::to_string(1 + drawn % buckets);
  }
  return {{std::move(text)}};
}

double Candidate::partitions_asked(const WeighedQuery& query, size_t partitions) const {
  const auto asked = [&](std::vector<DocumentPath> paths, size_t spread) {
    return advise::partitions_asked(query, definition_over(paths), partitions, spread);
  };
  if (kind == Kind::kPaths) return asked(sources, 1);
  if (kind == Kind::kRandomSuffix) return asked({sources[0]}, buckets);
  // All parts are needed: a hierarchical key tells whether there are; a prefix of it does not help a text.
  double whole = 1;
  for (const DocumentPath& source : sources) whole = std::max(whole, asked({source}, 1));
  if (kind == Kind::kConcatenation || whole < static_cast<double>(partitions)) return whole;
  return asked({sources[0]}, buckets);
}

namespace {

constexpr size_t kSinglesMax = 12;
constexpr size_t kGroupersMax = 5;
constexpr size_t kPairsMax = 10;
constexpr size_t kTriplesMax = 3;
constexpr size_t kSyntheticMax = 3;  // of each kind
constexpr double kPresentMin = 0.5;
constexpr double kValueBytesMax = 200;
constexpr uint32_t kBucketsPerPartition = 10;
constexpr uint32_t kBucketsMax = 1'000;

bool is_asked_for(const PropertyProfile& property, std::span<const WeighedQuery> queries) {
  const std::string text = property.path.text();
  return std::ranges::any_of(queries, [&](const WeighedQuery& query) { return query.equal_to.contains(text); });
}

// Measurements are no names of anything.
bool can_be_key(const PropertyProfile& property) {
  return property.present_share >= kPresentMin && property.fraction_share == 0 && property.bool_share < 1 &&
         property.distinct > 1 && property.mean_bytes <= kValueBytesMax && !is_system_property(property.path);
}

// Finder: one list of candidates in the making.
class Finder {
 public:
  Finder(const PropertySurvey& survey, std::span<const WeighedQuery> queries, size_t partitions)
      : documents_(static_cast<double>(survey.documents())), queries_(queries) {
    buckets_ = std::min(static_cast<uint32_t>(partitions) * kBucketsPerPartition, kBucketsMax);
    for (PropertyProfile& property : survey.properties()) {
      if (can_be_key(property) || (property.distinct >= 1 && is_asked_for(property, queries)))
        singles_.push_back(std::move(property));
    }
    std::ranges::sort(singles_, [this](const PropertyProfile& left, const PropertyProfile& right) {
      return std::pair(-interest(left), left.path.text()) < std::pair(-interest(right), right.path.text());
    });
    if (singles_.size() > kSinglesMax) singles_.resize(kSinglesMax);
  }

  std::vector<Candidate> find() {
    for (const PropertyProfile& single : singles_) add(Candidate::Kind::kPaths, {&single});
    find_hierarchies();
    find_synthetic();
    return std::move(found_);
  }

 private:
  using Parts = std::vector<const PropertyProfile*>;

  bool is_grouper(const PropertyProfile& property) const {
    return property.distinct >= 2 && property.distinct < 0.5 * documents_;
  }

  // Which come first when there are too many.
  double interest(const PropertyProfile& property) const {
    double interest = property.string_share + std::log2(1 + property.distinct) / 16;
    if (is_asked_for(property, queries_)) interest += 4;
    if (property.path.segments.size() > 1) interest -= 0.5;
    if (property.is_date()) interest += 1;
    return interest;
  }

  void add(Candidate::Kind kind, const Parts& parts, uint32_t buckets = 0) {
    Candidate candidate{.kind = kind, .buckets = buckets};
    for (const PropertyProfile* part : parts) candidate.sources.push_back(part->path);
    found_.push_back(std::move(candidate));
  }

  Parts groupers() const {
    Parts parts;
    for (const PropertyProfile& single : singles_) {
      if (is_grouper(single) && parts.size() < kGroupersMax) parts.push_back(&single);
    }
    return parts;
  }

  void find_hierarchies() {
    const Parts firsts = groupers();
    size_t pairs = 0;
    size_t triples = 0;
    for (const PropertyProfile* first : firsts) {
      for (const PropertyProfile& second : singles_) {
        if (&second == first || second.distinct <= first->distinct || pairs == kPairsMax) continue;
        add(Candidate::Kind::kPaths, {first, &second});
        ++pairs;
        if (!is_grouper(second)) continue;
        for (const PropertyProfile& third : singles_) {
          if (third.distinct <= second.distinct || triples == kTriplesMax) continue;
          add(Candidate::Kind::kPaths, {first, &second, &third});
          ++triples;
        }
      }
    }
  }

  void find_synthetic() {
    const Parts firsts = groupers();
    size_t concatenations = 0;
    for (const PropertyProfile* first : firsts) {
      for (const PropertyProfile* second : firsts) {
        // The one with more values first, as in device and date.
        if (first == second || first->distinct < second->distinct || concatenations == kSyntheticMax) continue;
        add(Candidate::Kind::kConcatenation, {first, second});
        ++concatenations;
      }
    }
    Parts few = firsts;
    // Dates need a suffix most.
    std::ranges::sort(few, std::less(), [](const PropertyProfile* property) {
      return std::tuple(!property->is_date(), property->distinct, property->path.text());
    });
    if (few.size() > kSyntheticMax) few.resize(kSyntheticMax);
    for (const PropertyProfile* property : few) add(Candidate::Kind::kRandomSuffix, {property}, buckets_);
    size_t hashes = 0;
    for (const PropertyProfile* property : few) {
      for (const PropertyProfile& hashed : singles_) {
        if (hashed.distinct <= property->distinct || hashes == kSyntheticMax) continue;
        if (!queries_.empty() && !is_asked_for(hashed, queries_)) continue;
        add(Candidate::Kind::kHashSuffix, {property, &hashed}, buckets_);
        ++hashes;
        break;
      }
    }
  }

  double documents_;
  std::span<const WeighedQuery> queries_;
  uint32_t buckets_ = 0;
  std::vector<PropertyProfile> singles_;
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<Candidate> find_candidates(const PropertySurvey& survey, std::span<const WeighedQuery> queries, size_t partitions) {
  return Finder(survey, queries, partitions).find();
}

}  // namespace partita::tools::advise
