#include "tools/advise/survey/property_survey.h"

#include "tools/advise/survey/time_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::tools::advise {
namespace {

double share(uint64_t part, uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

bool is_scalar(const Value& value) { return value.is_string() || value.is_number() || value.is_bool() || value.is_null(); }

}  // namespace

void PropertySurvey::add(const Value& document) {
  ++documents_;
  if (!document.is_object()) return;
  bytes_ += document.bytes().size();
  for (size_t i = 0; i < document.size(); ++i) {
    const Value::Member member = document.member(i);
    const uint64_t bytes = member.key.size() + member.value.bytes().size();
    if (is_system_property({{std::string(member.key)}})) {
      bytes_ -= bytes;
    } else if (top_bytes_.size() < kPathsMax || top_bytes_.contains(std::string(member.key))) {
      top_bytes_[std::string(member.key)] += bytes;
    }
  }
  DocumentPath path;
  walk(document, path);
}

void PropertySurvey::walk(const Value& object, DocumentPath& path) {
  for (size_t i = 0; i < object.size(); ++i) {
    const Value::Member member = object.member(i);
    path.segments.emplace_back(member.key);
    if (is_scalar(member.value)) {
      note(member.value, path);
    } else if (member.value.is_object() && path.segments.size() < kDepthMax) {
      walk(member.value, path);
    }
    path.segments.pop_back();
  }
}

void PropertySurvey::note(const Value& value, const DocumentPath& path) {
  std::string text = path.text();
  auto found = counts_.find(text);
  if (found == counts_.end()) {
    if (counts_.size() >= kPathsMax) return;
    found = counts_.emplace(std::move(text), Counts{.path = path}).first;
  }
  Counts& counts = found->second;
  ++counts.present;
  counts.bytes += value.bytes().size();
  if (value.is_string()) ++counts.strings;
  if (value.is_bool()) ++counts.bools;
  if (value.is_number() && value.number() != std::floor(value.number())) ++counts.fractions;
  if (const std::optional<Moment> moment = moment_of(value)) {
    ++counts.times;
    counts.resolution = std::min(counts.resolution, moment->resolution);
  }
  counts.hashes.insert(std::hash<std::string_view>{}(value.bytes()));
}

std::vector<PropertyProfile> PropertySurvey::properties() const {
  std::vector<PropertyProfile> profiles;
  for (const auto& [text, counts] : counts_) {
    profiles.push_back({.path = counts.path,
                        .present = static_cast<double>(counts.present),
                        .present_share = share(counts.present, documents_),
                        .distinct = static_cast<double>(counts.hashes.size()),
                        .mean_bytes = share(counts.bytes, counts.present),
                        .string_share = share(counts.strings, counts.present),
                        .fraction_share = share(counts.fractions, counts.present),
                        .bool_share = share(counts.bools, counts.present),
                        .time_share = share(counts.times, counts.present),
                        .time_resolution = counts.times == 0 ? 0 : counts.resolution});
  }
  return profiles;
}

std::map<std::string, double> PropertySurvey::byte_shares() const {
  std::map<std::string, double> shares;
  for (const auto& [name, bytes] : top_bytes_) shares[name] = share(bytes, bytes_);
  return shares;
}

bool is_system_property(const DocumentPath& path) {
  constexpr std::array<std::string_view, 6> kNames = {"_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"};
  return path.segments.size() == 1 && std::ranges::find(kNames, path.segments.front()) != kNames.end();
}

std::optional<DocumentPath> time_property_of(const std::vector<PropertyProfile>& properties) {
  constexpr double kPresentMin = 0.9;
  const PropertyProfile* best = nullptr;
  for (const PropertyProfile& property : properties) {
    if (!property.is_time() || property.present_share < kPresentMin) continue;
    // The server's own time is when a document was written here: the last to be asked, as documents may have been brought in.
    const auto rank = [](const PropertyProfile& of) {
      return std::tuple(is_system_property(of.path), of.time_resolution, -of.distinct);
    };
    if (best == nullptr || rank(property) < rank(*best)) best = &property;
  }
  return best == nullptr ? std::nullopt : std::optional(best->path);
}

}  // namespace partita::tools::advise
