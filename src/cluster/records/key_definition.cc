#include "cluster/records/key_definition.h"

#include <fmt/format.h>

namespace partita {
namespace {

bool has_space_outside_quotes(std::string_view text) {
  bool is_quoted = false;
  for (char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == ' ' && !is_quoted) return true;
  }
  return false;
}

Result<DocumentPath> parse_key_path(std::string_view text) {
  Result<DocumentPath> path = DocumentPath::parse(text);
  if (path && !has_space_outside_quotes(text)) return path;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The partition key component definition path '{}' could not be accepted. Partition key paths must "
                          "contain only valid characters and "
                          "not contain a trailing slash or wildcard character. {}",
                          text, path ? "A name with a space needs double quotes." : path.error().message));
}

}  // namespace

void write_partition_key_definition(StoredWriter& out, const PartitionKeyDefinition& definition) {
  out.begin_object();
  out.key("paths");
  out.begin_array();
  for (const DocumentPath& path : definition.paths) out.string(path.text());
  out.end_array();
  out.key("kind");
  out.string(definition.kind == PartitionKeyDefinition::Kind::kHash ? "Hash" : "MultiHash");
  if (definition.version != 1 || definition.names_version) {
    out.key("version");
    out.integer(definition.version);
  }
  if (definition.is_system_key) {
    out.key("systemKey");
    out.boolean(true);
  }
  out.end_object();
}

Result<PartitionKeyDefinition> parse_partition_key_definition(const Value& value) {
  const auto reject = [](std::string_view why) {
    return fail(ErrorCode::kInvalidInput, fmt::format("The partition key definition is not valid: {}.", why));
  };
  if (!value.is_object()) return reject("it must be an object");
  const Value paths = value.find("paths");
  if (!paths.is_array()) return reject("'paths' must be an array of paths");
  if (paths.size() > kPartitionKeyPathsMax) {
    return fail(ErrorCode::kInvalidInput, fmt::format("Too many partition key paths ({}) specified. A maximum of {} is allowed.",
                                                      paths.size(), kPartitionKeyPathsMax));
  }
  PartitionKeyDefinition definition;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!paths.element(i).is_string()) return reject("every path must be a string");
    TRY_ASSIGN(DocumentPath path, parse_key_path(paths.element(i).string()));
    for (const DocumentPath& other : definition.paths) {
      if (other == path) return reject(fmt::format("the path {} is given twice", path.text()));
    }
    definition.paths.push_back(std::move(path));
  }
  const Value kind = value.find("kind");
  if (kind.is_string() && kind.string() == "MultiHash") {
    definition.kind = PartitionKeyDefinition::Kind::kMultiHash;
    definition.version = 2;
  } else if (!kind.is_undefined() && !kind.is_null() &&
             !(kind.is_string() && (kind.string() == "Hash" || kind.string() == "Range"))) {
    return reject("'kind' must be Hash or MultiHash");
  }
  const Value version = value.find("version");
  if (!version.is_undefined() && !version.is_null()) {
    std::optional<int64_t> number = version.is_number() ? version.integer() : std::nullopt;
    // Some clients write the version as a name.
    if (version.is_string() && version.string() == "V1") number = 1;
    if (version.is_string() && version.string() == "V2") number = 2;
    if (!number || (*number != 1 && *number != 2)) return reject("'version' must be 1 or 2");
    if (definition.kind == PartitionKeyDefinition::Kind::kMultiHash && *number != 2) return reject("MultiHash needs version 2");
    definition.version = static_cast<int>(*number);
    definition.names_version = true;
  }
  if (definition.kind == PartitionKeyDefinition::Kind::kHash && definition.paths.size() > 1) {
    return reject("several paths need kind MultiHash");
  }
  const Value system_key = value.find("systemKey");
  definition.is_system_key = system_key.is_bool() && system_key.boolean();
  return definition;
}

}  // namespace partita
