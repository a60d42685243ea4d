#include "tools/advise/score/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

namespace partita::tools::advise {
namespace {

// A skew up to this is what hashing a few hundred values gives.
constexpr double kEvenEnough = 1.35;
constexpr double kUnevenMin = 2;
// With fewer values for each partition some partitions stay empty, or get twice as many as others.
constexpr double kValuesPerPartition = 10;
constexpr double kUniqueShare = 0.9;
constexpr double kGiantShare = 0.2;
constexpr double kMissingShare = 0.05;
// A level that nobody asks by only helps to spread.
constexpr double kUnaskedLevel = 0.98;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& character : out) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return out;
}

template <size_t Count>
bool is_called(const DocumentPath& path, const std::array<std::string_view, Count>& words) {
  const std::string name = path.segments.empty() ? "" : lower(path.segments.back());
  return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

constexpr std::array<std::string_view, 8> kTenants = {"tenant",  "customer",  "account",  "organi",
                                                      "company", "workspace", "merchant", "subscription"};
constexpr std::array<std::string_view, 9> kDevices = {"device",  "sensor",  "vehicle", "vin",  "meter",
                                                      "machine", "station", "thing",   "probe"};
constexpr std::array<std::string_view, 5> kUsers = {"user", "profile", "member", "email", "player"};

// Names of things end with these; "valid" and "paid" do too, but have few values.
bool names_things(const DocumentPath& path) {
  const std::string name = path.segments.empty() ? "" : lower(path.segments.back());
  constexpr std::array<std::string_view, 6> kEndings = {"id", "key", "code", "number", "vin", "email"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_unique(const Figures& figures) { return figures.distinct >= kUniqueShare * static_cast<double>(figures.documents); }

// Falls from 1 as a skew grows beyond what is even enough.
double evenness(double skew) { return std::min(1.0, kEvenEnough / skew); }

double hottest(const Figures& figures) { return std::max(figures.skew.requests, figures.skew.over_time); }

// A hierarchical key begins with all of a first value in one partition, which can be split between its second values.
bool evens_out(const RankedCandidate& ranked) {
  const Figures& figures = ranked.figures;
  return ranked.candidate.kind == Candidate::Kind::kPaths && ranked.candidate.sources.size() > 1 && !figures.is_hot_now &&
         figures.skew.storage > kEvenEnough && figures.settled_skew < 0.7 * figures.skew.storage;
}

// Storage and requests, as they will be.
std::pair<double, double> skews_of(const RankedCandidate& ranked) {
  constexpr double kUntilSplit = 1.1;
  if (!evens_out(ranked)) return {ranked.figures.skew.storage, hottest(ranked.figures)};
  const double settled = std::max(kEvenEnough * kUntilSplit, ranked.figures.settled_skew);
  return {settled, settled};
}

double fit_of(const Figures& figures, const JudgeTerms& terms) {
  const double full = figures.largest_projected_bytes / terms.logical_partition_bytes;
  if (full <= 0.5) return 1;
  return full <= 1 ? 1.4 - 0.8 * full : 0.3;
}

double routing_of(const Figures& figures) {
  if (!figures.routing) return 1;
  const double asked = std::max(1.0, figures.routing->mean_partitions);
  return 0.15 + 0.85 * std::max(figures.routing->one_partition_share, 1 / asked);
}

// What the shape of a key costs by itself: rules that people must keep in mind, reads that must know more.
double simplicity_of(const Candidate& candidate) {
  switch (candidate.kind) {
    case Candidate::Kind::kPaths: return 1 - 0.06 * static_cast<double>(candidate.sources.size() - 1);
    case Candidate::Kind::kConcatenation: return 0.88;
    case Candidate::Kind::kHashSuffix: return 0.82;
    case Candidate::Kind::kRandomSuffix: return 0.76;
  }
  return 1;
}

// Documents that are alone with their value can be in no transaction with others, and no query for several of them stays in one
// partition. Queries that were given say so themselves.
double grouping_of(const RankedCandidate& candidate, const JudgeTerms& terms) {
  const Figures& figures = candidate.figures;
  const DocumentPath& leading = candidate.candidate.sources.front();
  if (figures.routing) return is_unique(figures) ? 0.98 : 1;
  double grouping = 1;
  if (is_unique(figures) && terms.has_groups && candidate.candidate.sources.size() == 1) grouping *= 0.82;
  if (!names_things(leading) && !is_called(leading, kTenants) && !is_called(leading, kDevices)) grouping *= 0.85;
  if (figures.is_measure) grouping *= 0.6;
  if (terms.has_tenants && figures.tenant_property.empty()) grouping *= 0.85;
  return grouping;
}

double transactions_of(const Figures& figures) {
  if (!figures.transactions || figures.transactions->seen == 0) return 1;
  return 1 - 0.7 * static_cast<double>(figures.transactions->cut) / static_cast<double>(figures.transactions->seen);
}

double score_of(const RankedCandidate& candidate, const JudgeTerms& terms) {
  const Figures& figures = candidate.figures;
  const auto [storage, requests] = skews_of(candidate);
  const double values = figures.distinct / (kValuesPerPartition * static_cast<double>(terms.partitions));
  return 100 * std::sqrt(evenness(storage)) * evenness(requests) * fit_of(figures, terms) * std::sqrt(std::min(1.0, values)) *
         (1 - figures.undefined_share) * routing_of(figures) * simplicity_of(candidate.candidate) *
         std::pow(kUnaskedLevel, figures.unasked_levels) * grouping_of(candidate, terms) * transactions_of(figures);
}

std::string textbook_of(const RankedCandidate& ranked) {
  const Candidate& candidate = ranked.candidate;
  const Figures& figures = ranked.figures;
  const DocumentPath& leading = candidate.sources.front();
  if (candidate.kind == Candidate::Kind::kRandomSuffix || candidate.kind == Candidate::Kind::kHashSuffix)
    return figures.has_date ? "time series: a day, spread by a suffix" : "synthetic key: a value, spread by a suffix";
  if (!figures.tenant_property.empty()) {
    if (candidate.sources.size() == 1) return "tenants: a key value per tenant";
    return "tenants: the tenant, then a further level";
  }
  if (figures.has_date && candidate.sources.size() > 1) return "time series: a thing and a day together";
  if (figures.has_date) return "time series: a key value per day";
  if (is_called(leading, kDevices))
    return candidate.sources.size() == 1 ? "IoT: a key value per device" : "IoT: the device, then a further level";
  if (figures.is_of_time && is_unique(figures)) return "time series: a key of high cardinality";
  if (is_unique(figures) || (is_called(leading, kUsers) && !figures.is_of_time)) return "profiles: a key value per user or item";
  if (figures.is_of_time && figures.documents_per_value() >= 2 && figures.mean_lifetime >= 0.5 && names_things(leading))
    return "IoT: a key value per source of events";
  return {};
}

std::string percent(double share) {
  if (share > 0 && share < 0.01) return "less than 1 %";
  return fmt::format("{:.0f} %", 100 * share);
}

std::string count_text(double count) {
  if (count >= 1e6) return fmt::format("{:.1f} million", count / 1e6);
  return count >= 10'000 ? fmt::format("{:.0f},{:03.0f}", std::floor(count / 1000), std::fmod(count, 1000))
                         : fmt::format("{:.0f}", count);
}

// What it means that values are times. Hashing spreads values that differ, however near they are; those that are equal it cannot.
std::string remark_on_time(const Figures& figures) {
  if (!figures.is_monotonic) return {};
  if (figures.is_hot_now) {
    return fmt::format(
        "; its values are times that many documents share (some {}): all of one time go to one partition, which is hot until "
        "the next time makes another one hot",
        count_text(std::round(figures.documents_per_time)));
  }
  return "; its values are times, of which new ones are always the latest: that is no hot spot here, because partitions have "
         "ranges of hashes and not of values";
}

// The gravest trouble, or what speaks for it.
std::string gravest_of(const RankedCandidate& ranked, const JudgeTerms& terms) {
  const Figures& figures = ranked.figures;
  const double partitions = static_cast<double>(terms.partitions);
  if (figures.undefined_share > kMissingShare)
    return fmt::format("{} of the documents have no value there and would share one key value", percent(figures.undefined_share));
  if (figures.is_hot_now && figures.skew.over_time > kUnevenMin) {
    return fmt::format(
        "what is {} at one time goes to few partitions, whatever the average: the busiest gets {:.1f} times the mean, "
        "so {:.0f} of {:.0f} RU/s can be used",
        terms.is_time_of_requests ? "asked for" : "written", figures.skew.over_time, figures.usable_throughput, terms.throughput);
  }
  if (figures.largest_projected_bytes > terms.logical_partition_bytes) {
    return fmt::format("the largest value has {} of all bytes: {} where {} is the limit of a key value",
                       percent(figures.largest_share), bytes_text(figures.largest_projected_bytes),
                       bytes_text(terms.logical_partition_bytes));
  }
  if (figures.distinct < partitions)
    return fmt::format("{} values cannot fill {} partitions", count_text(figures.distinct), terms.partitions);
  if (evens_out(ranked)) {
    return fmt::format(
        "it begins uneven ({:.1f} times the mean in one partition), but partitions can be split between the values of {}, and "
        "the largest whole key has {} of all bytes{}",
        figures.skew.storage, ranked.candidate.sources[1].text(), percent(figures.largest_share),
        figures.routing ? fmt::format("; {} of the queries stay in one partition", percent(figures.routing->one_partition_share))
                        : "");
  }
  if (hottest(figures) > kUnevenMin) {
    return fmt::format(
        "the busiest partition gets {:.1f} times the mean (the largest value has {} of all bytes), so {:.0f} of {:.0f} "
        "RU/s can be used",
        hottest(figures), percent(figures.largest_share), figures.usable_throughput, terms.throughput);
  }
  if (figures.routing && figures.routing->one_partition_share < 0.5) {
    return fmt::format("only {} of the queries stay in one partition; a query asks {:.1f} of {} on average",
                       percent(figures.routing->one_partition_share), figures.routing->mean_partitions, terms.partitions);
  }
  if (figures.transactions && figures.transactions->cut * 10 > figures.transactions->seen)
    return fmt::format("it would cut {} of {} transactions", figures.transactions->cut, figures.transactions->seen);
  std::string reason = fmt::format("{} values spread storage ({:.2f}) and requests ({:.2f}) evenly", count_text(figures.distinct),
                                   figures.skew.storage, hottest(figures));
  if (figures.routing)
    reason += fmt::format(", and {} of the queries stay in one partition", percent(figures.routing->one_partition_share));
  if (!figures.routing && is_unique(figures)) reason += ", but each document is alone: no transaction can have two of them";
  return reason;
}

std::string reason_of(const RankedCandidate& ranked, const JudgeTerms& terms) {
  return gravest_of(ranked, terms) + remark_on_time(ranked.figures);
}

}  // namespace

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"bytes", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 || bytes >= 100 ? 0 : 1, kUnits[unit]);
}

void describe_names(const Candidate& candidate, std::span<const PropertyProfile> properties, Figures& figures) {
  for (const DocumentPath& source : candidate.sources) {
    const auto property = std::ranges::find(properties, source, &PropertyProfile::path);
    if (property == properties.end()) continue;
    const bool is_first = &source == &candidate.sources.front();
    if (is_first && property->is_time() && candidate.kind == Candidate::Kind::kPaths) {
      figures.is_monotonic = true;
      figures.documents_per_time = property->present / std::max(1.0, property->distinct);
    }
    if (property->is_date()) figures.has_date = true;
    if (is_first && property->string_share < 0.5 && !names_things(source) && !property->is_time()) figures.is_measure = true;
    if (is_first && is_called(source, kTenants)) figures.tenant_property = source.text();
  }
}

void look_around(std::span<const RankedCandidate> candidates, JudgeTerms& terms) {
  constexpr double kGroupMin = 1.2;  // documents per value
  for (const RankedCandidate& ranked : candidates) {
    if (!ranked.figures.tenant_property.empty()) terms.has_tenants = true;
    if (ranked.candidate.sources.size() > 1 || ranked.candidate.is_synthetic()) continue;
    const DocumentPath& path = ranked.candidate.sources.front();
    const bool is_thing = names_things(path) || is_called(path, kTenants) || is_called(path, kDevices);
    const bool has_enough = ranked.figures.distinct >= static_cast<double>(terms.partitions);
    if (is_thing && has_enough && !ranked.figures.is_measure && ranked.figures.documents_per_value() >= kGroupMin)
      terms.has_groups = true;
  }
}

void judge(RankedCandidate& candidate, const JudgeTerms& terms) {
  candidate.score = std::clamp(score_of(candidate, terms), 0.0, 100.0);
  candidate.verdict = candidate.score >= 60 ? "good" : candidate.score >= 35 ? "possible" : "avoid";
  candidate.reason = reason_of(candidate, terms);
  candidate.textbook = textbook_of(candidate);
}

void rank(std::vector<RankedCandidate>& candidates) {
  constexpr double kMoreValues = 1.1;
  const auto distinct_of = [&](const DocumentPath& path) {
    for (const RankedCandidate& ranked : candidates) {
      if (!ranked.candidate.is_synthetic() && ranked.candidate.sources.size() == 1 && ranked.candidate.sources[0] == path)
        return ranked.figures.distinct;
    }
    return 0.0;
  };
  // A concatenation with as many values as one of its parts is that part, made harder to ask for.
  std::erase_if(candidates, [&](const RankedCandidate& ranked) {
    if (ranked.candidate.kind != Candidate::Kind::kConcatenation) return false;
    return std::ranges::any_of(ranked.candidate.sources, [&](const DocumentPath& part) {
      return ranked.figures.distinct < kMoreValues * distinct_of(part);
    });
  });
  std::ranges::sort(candidates, [](const RankedCandidate& left, const RankedCandidate& right) {
    return left.score != right.score ? left.score > right.score : left.candidate.name() < right.candidate.name();
  });
  if (!candidates.empty() && candidates.front().verdict == "good") candidates.front().verdict = "recommended";
}

std::vector<std::string> notes_on(const Advice& advice, const JudgeTerms& terms) {
  constexpr int64_t kMonth = 30 * 86'400;
  std::vector<std::string> notes;
  if (advice.candidates.empty()) {
    notes.emplace_back(
        "No property has enough values in enough documents to be a partition key: give the documents an id of what they belong "
        "to.");
    return notes;
  }
  for (const RankedCandidate& ranked : advice.candidates) {
    const Figures& figures = ranked.figures;
    if (figures.tenant_property.empty() || ranked.candidate.sources.size() > 1 || ranked.candidate.is_synthetic()) continue;
    if (figures.largest_share >= kGiantShare) {
      notes.push_back(
          fmt::format("The tenant {} has {} of all bytes. Tiers: keep small tenants together under {}, give this one a container "
                      "(and a throughput) of "
                      "its own, or a further level below {}.",
                      figures.largest_value, percent(figures.largest_share), figures.tenant_property, figures.tenant_property));
    } else {
      notes.push_back(
          fmt::format("No tenant is a giant (the largest has {}): a key value per tenant isolates them in one container; a "
                      "container per tenant is for those who pay for a throughput of their own.",
                      percent(figures.largest_share)));
    }
    break;
  }
  if (!advice.time_property.empty() && advice.last_second - advice.first_second >= kMonth) {
    notes.push_back(
        fmt::format("The documents span {} days by {}. If old ones are rarely read, one container per month lets each have its "
                    "own throughput, and a month is dropped at once.",
                    (advice.last_second - advice.first_second) / 86'400, advice.time_property));
  }
  if (!advice.fields.cold.empty()) {
    double share = 0;
    for (const FieldUse& field : advice.fields.fields) {
      if (std::ranges::find(advice.fields.cold, field.name) != advice.fields.cold.end()) share += field.byte_share;
    }
    constexpr size_t kNamed = 5;
    const std::span<const std::string> cold(advice.fields.cold);
    const bool is_one = cold.size() == 1;
    notes.push_back(fmt::format(
        "{}{} {} {} of the bytes and {} hardly read. In documents of {} own, with the same key, {} would save as much "
        "of every write of the rest; a point read would cost {:.2f} instead of {:.2f} RU.",
        fmt::join(cold.first(std::min(kNamed, cold.size())), ", "),
        cold.size() > kNamed ? fmt::format(" and {} more", cold.size() - kNamed) : "", is_one ? "has" : "have", percent(share),
        is_one ? "is" : "are", is_one ? "its" : "their", is_one ? "it" : "they", advice.fields.read_units_without_cold,
        advice.fields.read_units_now));
  }
  if (advice.queries == 0)
    notes.push_back(fmt::format(
        "No queries were given (--queries), so nothing was judged by what they would ask of {} partitions.", terms.partitions));
  return notes;
}

}  // namespace partita::tools::advise
