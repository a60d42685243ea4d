#include "tools/advise/score/field_advice.h"

#include "partition/charge/request_units.h"

#include <algorithm>

namespace partita::tools::advise {
namespace {

// From these on a member is worth a place of its own, or several together.
constexpr double kColdByteShareMin = 0.2;
constexpr double kColdReadShareMax = 0.05;
// What small members must save together, for each document: a second one costs more than a few bytes.
constexpr double kColdBytesMin = 1024;
constexpr double kCountedShareMin = 0.01;

// Members that no query needs: the large ones, or if there is none, the others if they are large together.
std::vector<std::string> cold_among(const std::vector<FieldUse>& fields, double document_bytes) {
  std::vector<std::string> large;
  std::vector<std::string> small;
  double together = 0;
  for (const FieldUse& field : fields) {
    if (field.read_share > kColdReadShareMax || field.name == "id" || field.byte_share < kCountedShareMin) continue;
    (field.byte_share >= kColdByteShareMin ? large : small).push_back(field.name);
    together += field.byte_share;
  }
  if (!large.empty()) return large;
  return together >= kColdByteShareMin && together * document_bytes >= kColdBytesMin ? small : large;
}

// Groups of members: two are together when some query reads both.
std::vector<FieldGroup> groups_of(const std::map<std::string, double>& byte_shares, std::span<const WeighedQuery> queries,
                                  double weights) {
  std::vector<std::set<std::string>> groups;
  for (const WeighedQuery& query : queries) {
    if (query.reads_all || query.fields.empty()) continue;
    std::set<std::string> united = query.fields;
    std::erase_if(groups, [&](const std::set<std::string>& group) {
      const bool is_shared = std::ranges::any_of(group, [&](const std::string& field) { return query.fields.contains(field); });
      if (is_shared) united.insert(group.begin(), group.end());
      return is_shared;
    });
    groups.push_back(std::move(united));
  }
  std::vector<FieldGroup> out;
  for (const std::set<std::string>& group : groups) {
    FieldGroup described{.fields = {group.begin(), group.end()}};
    for (const std::string& field : group) {
      const auto bytes = byte_shares.find(field);
      if (bytes != byte_shares.end()) described.byte_share += bytes->second;
    }
    for (const WeighedQuery& query : queries) {
      const bool reads = std::ranges::any_of(query.fields, [&](const std::string& field) { return group.contains(field); });
      if (reads) described.read_share += query.weight / weights;
    }
    out.push_back(std::move(described));
  }
  std::ranges::sort(out, std::less(), [](const FieldGroup& group) { return std::pair(-group.read_share, group.fields); });
  return out;
}

double point_read(double bytes) { return charge_for({.lookups = 1, .lookup_bytes = static_cast<uint64_t>(bytes)}); }

}  // namespace

FieldAdvice advise_on_fields(const std::map<std::string, double>& byte_shares, std::span<const WeighedQuery> queries,
                             double document_bytes) {
  FieldAdvice advice;
  double weights = 0;
  for (const WeighedQuery& query : queries) weights += query.weight;
  for (const auto& [name, share] : byte_shares) {
    FieldUse use{.name = name, .byte_share = share};
    for (const WeighedQuery& query : queries) {
      if (query.reads_all || query.fields.contains(name)) use.read_share += query.weight / weights;
    }
    advice.fields.push_back(std::move(use));
  }
  std::ranges::sort(advice.fields, std::less(), [](const FieldUse& field) { return std::pair(-field.byte_share, field.name); });
  double cold_share = 0;
  if (weights > 0) {
    advice.cold = cold_among(advice.fields, document_bytes);
    for (const std::string& name : advice.cold) cold_share += byte_shares.at(name);
    advice.groups = groups_of(byte_shares, queries, weights);
  }
  advice.read_units_now = point_read(document_bytes);
  advice.read_units_without_cold = point_read(document_bytes * (1 - cold_share));
  return advice;
}

}  // namespace partita::tools::advise
