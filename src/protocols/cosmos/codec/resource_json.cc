#include "protocols/cosmos/codec/resource_json.h"

#include "base/encodings.h"
#include "cluster/records/key_definition.h"
#include "document/json/json.h"
#include "engine/index/search_policies.h"
#include "protocols/cosmos/codec/policy_form.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "query/computed_properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace partita::cosmos {
namespace {

constexpr std::string_view kSystemKeyPath = "/_partitionKey";

// Members of a container that are not kept as given: they have a meaning of their own, or the server makes them.
constexpr std::array<std::string_view, 13> kOwnMembers = {
    "id",    "indexingPolicy", "partitionKey", "_rid",  "_self",      "_etag",       "_ts",
    "_docs", "_sprocs",        "_triggers",    "_udfs", "_conflicts", "_attachments"};

void text(StoredWriter& out, std::string_view key, std::string_view value) {
  out.key(key);
  out.string(value);
}

void revision(StoredWriter& out, std::string_view rid, std::string_view self_link, const Revision& revision) {
  text(out, "_rid", rid);
  text(out, "_self", self_link);
  text(out, "_etag", revision.etag);
  out.key("_ts");
  out.integer(revision.unix_seconds);
}

void write_default_conflict_policy(StoredWriter& out) {
  out.key("conflictResolutionPolicy");
  out.begin_object();
  text(out, "mode", "LastWriterWins");
  text(out, "conflictResolutionPath", "/_ts");
  text(out, "conflictResolutionProcedure", "");
  out.end_object();
}

void write_partition_key(StoredWriter& out, const PartitionKeyDefinition& definition) {
  if (!definition.paths.empty()) return write_partition_key_definition(out, definition);
  out.begin_object();
  out.key("paths");
  out.begin_array();
  out.string(kSystemKeyPath);
  out.end_array();
  text(out, "kind", "Hash");
  out.key("systemKey");
  out.boolean(true);
  out.end_object();
}

}  // namespace

void write_database(StoredWriter& out, const Database& database) {
  out.begin_object();
  text(out, "id", database.id);
  revision(out, database.rid(), database.self_link(), database.revision);
  text(out, "_colls", "colls/");
  text(out, "_users", "users/");
  out.end_object();
}

void write_container(StoredWriter& out, const Container& container, bool is_for_modern) {
  const Value properties = Value::view(container.definition.properties);
  out.begin_object();
  text(out, "id", container.definition.id);
  out.key("indexingPolicy");
  write_indexing_policy(out, container.definition.indexing->definition(), !is_for_modern);
  if (container.has_partition_key() || is_for_modern) {
    out.key("partitionKey");
    write_partition_key(out, container.definition.partition_key);
  }
  for (size_t i = 0; i < properties.size(); ++i) {
    out.key(properties.member(i).key);
    out.value(properties.member(i).value);
  }
  if (properties.find("conflictResolutionPolicy").is_undefined()) write_default_conflict_policy(out);
  if (properties.find("geospatialConfig").is_undefined()) {
    out.key("geospatialConfig");
    out.begin_object();
    text(out, "type", "Geography");
    out.end_object();
  }
  revision(out, container.rid(), container.identity.self_link, container.revision);
  text(out, "_docs", "docs/");
  text(out, "_sprocs", "sprocs/");
  text(out, "_triggers", "triggers/");
  text(out, "_udfs", "udfs/");
  text(out, "_conflicts", "conflicts/");
  out.end_object();
}

Result<ContainerDefinition> parse_container(const Value& body, bool needs_key) {
  const Value id = body.find("id");
  if (!id.is_string()) {
    return fail(ErrorCode::kInvalidInput, "The input content is invalid because the required properties - 'id; ' - are missing");
  }
  ContainerDefinition definition;
  definition.id = id.string();
  const Value key = body.find("partitionKey");
  if (!key.is_undefined() && !key.is_null()) {
    TRY_ASSIGN(definition.partition_key, parse_partition_key_definition(key));
    if (definition.partition_key.paths.empty()) {
      return fail(ErrorCode::kInvalidInput, "The partition key definition is not valid: it has no path.");
    }
  } else if (needs_key) {
    TRY_ASSIGN(DocumentPath path, DocumentPath::parse(kSystemKeyPath));
    definition.partition_key.paths.push_back(std::move(path));
    definition.partition_key.is_system_key = true;
  }
  TRY_ASSIGN(DocumentRules rules, DocumentRules::parse(body));
  definition.rules = std::make_shared<const DocumentRules>(std::move(rules));
  TRY(check_search_policies(body));
  TRY(query::check_computed_properties(body.find("computedProperties"), definition.partition_key));
  TRY_ASSIGN(IndexingPolicy indexing,
             IndexingPolicy::parse(body.find("indexingPolicy"), definition.partition_key, body.find("fullTextPolicy")));
  definition.indexing = std::make_shared<const IndexingPolicy>(std::move(indexing));

  StoredWriter properties;
  properties.begin_object();
  for (size_t i = 0; i < body.size(); ++i) {
    const Value::Member member = body.member(i);
    if (std::ranges::find(kOwnMembers, member.key) != kOwnMembers.end() || member.value.is_null()) continue;
    properties.key(member.key);
    properties.value(member.value);
  }
  properties.end_object();
  definition.properties = properties.take();
  TRY_ASSIGN(definition.synthetic_key, query::SyntheticKey::of(Value::view(definition.properties), definition.partition_key));
  return definition;
}

void write_range(StoredWriter& out, const Container& container, const PartitionPlace& place) {
  uint64_t ordinal = 0;
  std::from_chars(place.range_id.data(), place.range_id.data() + place.range_id.size(), ordinal);
  const ContainerChildRid rid{.container = {.database = container.database->number, .container = container.number},
                              .type = ContainerChild::kPartitionKeyRange,
                              .ordinal = ordinal};
  std::string self_link;
  append_self_link(self_link, rid);
  out.begin_object();
  text(out, "id", place.range_id);
  revision(out, rid_text(rid), self_link, container.revision);
  text(out, "minInclusive", hex_upper(place.range().min));
  text(out, "maxExclusive", hex_upper(place.range().max));
  out.key("ridPrefix");
  out.integer(static_cast<int64_t>(ordinal));
  out.key("throughputFraction");
  out.number(1.0 / static_cast<double>(container.places.size()));
  text(out, "status", "online");
  out.key("parents");
  out.begin_array();
  for (const std::string& parent : place.parents) out.string(parent);
  out.end_array();
  out.key("ownedArchivalPKRangeIds");
  out.begin_array();
  out.end_array();
  out.key("lsn");
  out.integer(static_cast<int64_t>(place.partition->applied_lsn().value));
  out.end_object();
}

// Range ids are never used twice, so another map has another greatest id or, with the same, another number of ranges.
std::string properties_besides(const Value& body, std::span<const std::string_view> kept_apart) {
  StoredWriter properties;
  properties.begin_object();
  for (size_t i = 0; i < body.size(); ++i) {
    const Value::Member member = body.member(i);
    if (std::ranges::find(kept_apart, member.key) != kept_apart.end()) continue;
    properties.key(member.key);
    properties.value(member.value);
  }
  properties.end_object();
  return properties.take();
}

std::string ranges_etag(const Container& container) {
  const auto is_less = [](const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  };
  const auto newest = std::ranges::max_element(container.places, is_less, &PartitionPlace::range_id);
  return fmt::format("\"{}-{}\"", container.places.size(), newest->range_id);
}

}  // namespace partita::cosmos
