#include "client/resources/container_definition.h"

#include "document/json/json.h"

#include <fmt/format.h>

namespace partita::client {
namespace {

constexpr int kHashVersion = 2;
constexpr std::string_view kMultiHash = "MultiHash";

Result<PartitionKeyDefinition> read_partition_key(const Value& json) {
  PartitionKeyDefinition definition;
  const Value paths = json.find("paths");
  if (!paths.is_array()) return definition;
  for (size_t index = 0; index < paths.size(); ++index) {
    const Value path = paths.element(index);
    if (!path.is_string()) return fail(ErrorCode::kInvalidInput, "a partition key path of the container is no string");
    TRY_ASSIGN(DocumentPath parsed, DocumentPath::parse(path.string()));
    definition.paths.push_back(std::move(parsed));
  }
  const Value kind = json.find("kind");
  const Value version = json.find("version");
  const bool is_multiple = kind.is_string() && kind.string() == kMultiHash;
  definition.kind = is_multiple ? PartitionKeyDefinition::Kind::kMultiHash : PartitionKeyDefinition::Kind::kHash;
  const int64_t number = version.is_number() ? version.integer().value_or(1) : 1;
  definition.version = is_multiple || number == kHashVersion ? kHashVersion : 1;
  const Value is_system = json.find("systemKey");
  definition.is_system_key = is_system.is_bool() && is_system.boolean();
  return definition;
}

void write_partition_key(StoredWriter& out, const PartitionKeyDefinition& definition) {
  const bool is_multiple = definition.kind == PartitionKeyDefinition::Kind::kMultiHash;
  out.key("partitionKey");
  out.begin_object();
  out.key("paths");
  out.begin_array();
  for (const DocumentPath& path : definition.paths) out.string(path.text());
  out.end_array();
  out.key("kind");
  out.string(is_multiple ? kMultiHash : "Hash");
  out.key("version");
  out.integer(definition.version);
  out.end_object();
}

Status write_member(StoredWriter& out, std::string_view key, std::string_view json) {
  if (json.empty()) return {};
  out.key(key);
  if (Status read = read_json(json, out); !read) {
    return fail(ErrorCode::kInvalidInput, fmt::format("the container's {} cannot be read: {}", key, read.error().message));
  }
  return {};
}

std::string json_at(const Value& object, std::string_view key) { return to_json(object.find(key)); }
std::string text_at(const Value& object, std::string_view key) {
  const Value found = object.find(key);
  return found.is_string() ? std::string(found.string()) : std::string();
}

}  // namespace

Result<PartitionKeyDefinition> partition_key_definition(std::span<const std::string> paths) {
  if (paths.empty() || paths.size() > kPartitionKeyPathsMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("a partition key has 1 to {} paths, not {}", kPartitionKeyPathsMax, paths.size()));
  }
  PartitionKeyDefinition definition;
  for (const std::string& path : paths) {
    TRY_ASSIGN(DocumentPath parsed, DocumentPath::parse(path));
    definition.paths.push_back(std::move(parsed));
  }
  definition.version = kHashVersion;
  if (paths.size() > 1) definition.kind = PartitionKeyDefinition::Kind::kMultiHash;
  return definition;
}

Result<ContainerDefinition> ContainerDefinition::parse(std::string_view json) {
  TRY_ASSIGN(const std::string stored, stored_from_json(json));
  const Value object = Value::view(stored);
  if (!object.is_object()) return fail(ErrorCode::kInvalidInput, "a container's definition is not a JSON object");
  ContainerDefinition definition;
  definition.id = text_at(object, "id");
  TRY_ASSIGN(definition.partition_key, read_partition_key(object.find("partitionKey")));
  definition.indexing_policy = json_at(object, "indexingPolicy");
  definition.computed_properties = json_at(object, "computedProperties");
  if (const Value ttl = object.find("defaultTtl"); ttl.is_number()) definition.default_ttl = ttl.integer();
  definition.rid = text_at(object, "_rid");
  definition.etag = text_at(object, "_etag");
  definition.json = json;
  return definition;
}

Result<std::string> ContainerDefinition::to_json() const {
  StoredWriter out;
  out.begin_object();
  out.key("id");
  out.string(id);
  if (!partition_key.paths.empty()) write_partition_key(out, partition_key);
  TRY(write_member(out, "indexingPolicy", indexing_policy));
  TRY(write_member(out, "computedProperties", computed_properties));
  if (default_ttl) {
    out.key("defaultTtl");
    out.integer(*default_ttl);
  }
  out.end_object();
  return partita::to_json(out.view());
}

}  // namespace partita::client
