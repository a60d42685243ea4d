#include "tools/advise/score/advisor.h"

#include "base/check.h"
#include "partition/charge/request_units.h"
#include "tools/advise/score/field_advice.h"
#include "tools/advise/score/verdict.h"
#include "tools/advise/survey/time_text.h"

#include <algorithm>
#include <cmath>

namespace partita::tools::advise {
namespace {

constexpr double kThroughputPerPartition = 10'000;
constexpr double kPartitionBytes = 50.0 * (1ULL << 30);
constexpr size_t kPartitionsMax = 200;
// What a server adds to a document, and its row.
constexpr uint64_t kSystemBytes = 130;
// From so many documents on a time is one that they share.
constexpr double kSharedTime = 10;

uint64_t scrambled(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

size_t partitions_for(const AdvisorTerms& terms) {
  const double wanted =
      std::max(std::ceil(terms.throughput / kThroughputPerPartition), std::ceil(terms.expected_bytes / kPartitionBytes));
  return std::clamp(static_cast<size_t>(wanted), size_t{1}, kPartitionsMax);
}

// Index entries, about: one for each scalar.
uint64_t scalars_in(const Value& value) {
  if (!value.is_object() && !value.is_array()) return 1;
  uint64_t count = 0;
  for (size_t i = 0; i < value.size(); ++i) count += scalars_in(value.is_object() ? value.member(i).value : value.element(i));
  return count;
}

void set_component(PartitionKeyComponent& component, const Value& value) {
  if (value.is_string()) {
    if (auto* text = std::get_if<std::string>(&component)) {
      text->assign(value.string());
    } else {
      component = std::string(value.string());
    }
  } else if (value.is_number()) {
    component = value.number() + 0.0;
  } else if (value.is_bool()) {
    component = value.boolean();
  } else if (value.is_null()) {
    component = NullKey{};
  } else {
    component = UndefinedKey{};
  }
}

}  // namespace

Advisor::Advisor(AdvisorTerms terms) : terms_(std::move(terms)), partitions_(partitions_for(terms_)) {}

void Advisor::add(const Value& document, const DocumentUse* use) {
  ++documents_;
  if (is_scoring_) return score(document, use);
  survey_.add(document);
  kept_bytes_ += document.bytes().size();
  kept_.push_back({std::string(document.bytes()), use ? std::optional(*use) : std::nullopt});
  if (kept_.size() >= kSurveyed || kept_bytes_ >= kSurveyedBytes) begin_scoring();
}

void Advisor::begin_scoring() {
  is_scoring_ = true;
  time_property_ = time_property_of(survey_.properties());
  for (Candidate& candidate : find_candidates(survey_, terms_.queries, partitions_)) {
    std::vector<size_t> sources;
    for (const DocumentPath& path : candidate.sources) {
      const auto known = std::ranges::find(paths_, path);
      sources.push_back(static_cast<size_t>(known - paths_.begin()));
      if (known == paths_.end()) paths_.push_back(path);
    }
    sources_.push_back(std::move(sources));
    tallies_.emplace_back(std::move(candidate), partitions_);
  }
  values_.resize(paths_.size());
  for (const Kept& kept : kept_) score(Value::view(kept.stored), kept.use ? &*kept.use : nullptr);
  kept_ = {};
}

void Advisor::place_in_time(const Value& document, DocumentLoad& load) {
  if (!time_property_) return;
  const std::optional<Moment> moment = moment_of(time_property_->resolve(document));
  if (!moment) return;
  load.seconds = moment->seconds;
  load.window = windows_.at(moment->seconds, moved_);
  if (moved_.empty()) return;
  for (CandidateTally& tally : tallies_) tally.merge_windows(moved_, windows_.size());
}

void Advisor::place_uses(const DocumentUse& use, DocumentLoad& load) {
  uses_.clear();
  for (const UseTime& time : use.times) {
    (void)use_windows_.at(time.seconds, moved_);
    if (moved_.empty()) continue;
    for (CandidateTally& tally : tallies_) tally.merge_use_windows(moved_, use_windows_.size());
  }
  // No number changes any more.
  for (const UseTime& time : use.times) uses_.push_back({use_windows_.at(time.seconds, moved_), time.units});
  load.uses = uses_;
}

void Advisor::score(const Value& document, const DocumentUse* use) {
  const uint64_t bytes = document.bytes().size() + kSystemBytes;
  const double written = charge_for({.writes = 1, .write_bytes = bytes, .index_entries_written = scalars_in(document)});
  bytes_ += bytes;
  DocumentLoad load{.bytes = bytes, .units = use ? use->units : written, .draw = scrambled(bytes_ ^ documents_ << 40)};
  place_in_time(document, load);
  if (use != nullptr) place_uses(*use, load);
  for (size_t i = 0; i < paths_.size(); ++i) set_component(values_[i], paths_[i].resolve(document));
  for (size_t i = 0; i < tallies_.size(); ++i) {
    picked_.clear();
    for (const size_t source : sources_[i]) picked_.push_back(&values_[source]);
    tallies_[i].add(picked_, load, use);
  }
}

namespace {

double projected_bytes(const CandidateTally& tally, double largest_bytes, double growth) {
  constexpr double kShortLife = 0.5;
  if (growth <= 1) return largest_bytes;
  // Values that come and go do not grow; nor do those of which there are more the more documents there are.
  if (tally.mean_lifetime() < kShortLife) return largest_bytes;
  const double half = std::max(1.0, tally.distinct_of_half());
  const double new_values = std::clamp(std::log2(std::max(1.0, tally.distinct()) / half), 0.0, 1.0);
  return largest_bytes * std::pow(growth, 1 - new_values);
}

RoutingFigures routing_of(const Candidate& candidate, std::span<const WeighedQuery> queries, size_t partitions) {
  RoutingFigures routing;
  double weights = 0;
  for (const WeighedQuery& query : queries) {
    const double asked = candidate.partitions_asked(query, partitions);
    weights += query.weight;
    routing.mean_partitions += query.weight * asked;
    if (asked <= 1) routing.one_partition_share += query.weight;
  }
  routing.mean_partitions /= weights;
  routing.one_partition_share /= weights;
  routing.mean_base_units = routing.mean_partitions * page_charge({.pages = 1}).sum();
  return routing;
}

}  // namespace

RankedCandidate Advisor::ranked(const CandidateTally& tally) const {
  RankedCandidate ranked{.candidate = tally.candidate(), .partitions = tally.partitions()};
  Figures& figures = ranked.figures;
  figures.documents = tally.documents();
  figures.distinct = std::round(tally.distinct());
  figures.undefined_share = tally.undefined_share();
  if (const auto heaviest = tally.heavy().heaviest(1); !heaviest.empty()) {
    figures.largest_value = heaviest[0].text;
    figures.largest_bytes = heaviest[0].weight;
    figures.largest_share = heaviest[0].weight / tally.heavy().total();
  }
  figures.settled_skew = std::max(1.0, figures.largest_share * static_cast<double>(partitions_));
  const double growth = terms_.expected_bytes / static_cast<double>(std::max<uint64_t>(bytes_, 1));
  figures.largest_projected_bytes = projected_bytes(tally, figures.largest_bytes, growth);
  figures.skew = tally.skew();
  if (const std::optional<double> asked = tally.skew_of_uses(); asked && !has_own_time()) figures.skew.over_time = *asked;
  figures.mean_lifetime = tally.mean_lifetime();
  figures.is_of_time = time_property_.has_value();
  describe_names(ranked.candidate, survey_.properties(), figures);
  // Where nothing says what comes at one time, documents that share a time come together all the same.
  const bool is_measured = time_property_ || tally.skew_of_uses();
  if (!is_measured && figures.documents_per_time >= kSharedTime) figures.skew.over_time = static_cast<double>(partitions_);
  figures.is_hot_now = figures.skew.over_time > std::max(2.0, 1.5 * figures.skew.requests);
  const double hottest = std::max(figures.skew.requests, figures.skew.over_time);
  figures.usable_throughput = terms_.throughput / hottest;
  for (size_t level = 1; !ranked.candidate.is_synthetic() && level < ranked.candidate.sources.size(); ++level) {
    const std::string text = ranked.candidate.sources[level].text();
    if (std::ranges::none_of(terms_.queries, [&](const WeighedQuery& query) { return query.equal_to.contains(text); }))
      ++figures.unasked_levels;
  }
  if (!terms_.queries.empty()) figures.routing = routing_of(ranked.candidate, terms_.queries, partitions_);
  figures.transactions = tally.transactions();
  ranked.window_counts = tally.counts_in_order(windows_.in_order());
  return ranked;
}

Advice Advisor::finish() {
  if (!is_scoring_) begin_scoring();
  Advice advice{.documents = documents_,
                .bytes = bytes_,
                .expected_bytes = std::max(terms_.expected_bytes, static_cast<double>(bytes_)),
                .throughput = terms_.throughput,
                .partitions = partitions_,
                .time_property = time_property_ ? time_property_->text() : std::string(),
                .is_time_of_requests = use_windows_.size() > 0 && !has_own_time(),
                .queries = terms_.queries.size()};
  if (windows_.size() > 0) {
    advice.first_second = windows_.first();
    advice.last_second = windows_.last();
  }
  JudgeTerms terms{.partitions = partitions_,
                   .throughput = terms_.throughput,
                   .logical_partition_bytes = terms_.logical_partition_bytes,
                   .is_time_of_requests = advice.is_time_of_requests};
  for (const CandidateTally& tally : tallies_) advice.candidates.push_back(ranked(tally));
  look_around(advice.candidates, terms);
  for (RankedCandidate& candidate : advice.candidates) judge(candidate, terms);
  rank(advice.candidates);
  advice.fields = advise_on_fields(survey_.byte_shares(), terms_.queries,
                                   static_cast<double>(bytes_) / static_cast<double>(std::max<uint64_t>(documents_, 1)));
  advice.notes = notes_on(advice, terms);
  return advice;
}

}  // namespace partita::tools::advise
