#include "cluster/records.h"

#include "base/bytes.h"
#include "base/encodings.h"
#include "document/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {
namespace {

std::unexpected<Error> undecodable(std::string_view what) {
  return fail(ErrorCode::kCorruption, fmt::format("a catalog record cannot be decoded: {}", what));
}

// A record read back: typed access with one kind of error.
class Record {
 public:
  static Result<Record> parse(std::string_view json) {
    Record record;
    Result<std::string> stored = stored_from_json(json);
    if (!stored) return undecodable(stored.error().message);
    record.bytes_ = *std::move(stored);
    TRY_ASSIGN(const int64_t format, record.integer("format"));
    if (format != kCatalogRecordFormat) return undecodable(fmt::format("it has format {}", format));
    return record;
  }

  Value value(std::string_view name) const { return Value::view(bytes_).find(name); }
  Result<int64_t> integer(std::string_view name) const {
    const Value found = value(name);
    const std::optional<int64_t> number = found.is_number() ? found.integer() : std::nullopt;
    if (!number) return undecodable(fmt::format("'{}' is not an integer", name));
    return *number;
  }
  Result<uint32_t> number(std::string_view name) const {
    TRY_ASSIGN(const int64_t wide, integer(name));
    return static_cast<uint32_t>(wide);
  }
  Result<std::string> text(std::string_view name) const {
    const Value found = value(name);
    if (!found.is_string()) return undecodable(fmt::format("'{}' is not a string", name));
    return std::string(found.string());
  }
  // What a client said besides what has a meaning here: an object, in stored form.
  Result<std::string> properties() const {
    const Value found = value("properties");
    if (!found.is_object()) return undecodable("'properties' is not an object");
    return std::string(found.bytes());
  }
  Result<Revision> revision() const {
    Revision revision;
    TRY_ASSIGN(revision.unix_seconds, integer("ts"));
    TRY_ASSIGN(revision.etag, text("etag"));
    return revision;
  }

 private:
  std::string bytes_;
};

class RecordWriter {
 public:
  RecordWriter() {
    out_.begin_object();
    integer("format", kCatalogRecordFormat);
  }
  void integer(std::string_view name, int64_t value) {
    out_.key(name);
    out_.integer(value);
  }
  void text(std::string_view name, std::string_view value) {
    out_.key(name);
    out_.string(value);
  }
  void revision(const Revision& revision) {
    integer("ts", revision.unix_seconds);
    text("etag", revision.etag);
  }
  StoredWriter& member(std::string_view name) {
    out_.key(name);
    return out_;
  }
  std::string finish() {
    out_.end_object();
    return to_json(out_.view());
  }

 private:
  StoredWriter out_;
};

PlaceRecord record_of(const PartitionPlace& place) {
  PlaceRecord record;
  record.partition = place.partition->id();
  const Partition::Index index = place.partition->index();
  record.index = index.id;
  if (const std::optional<Partition::Growth> growth = place.partition->growth()) {
    record.former_policy = index.policy;
    record.growing = growth->index.id;
  }
  record.range_id = place.range_id;
  record.parents = place.parents;
  record.range = place.range();
  return record;
}

void write_texts(StoredWriter& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

void write_range(StoredWriter& out, std::string_view range_id, const EffectiveKeyRange& range) {
  out.key("rangeId");
  out.string(range_id);
  out.key("min");
  out.string(hex_upper(range.min));
  out.key("max");
  out.string(hex_upper(range.max));
}

void write_place(StoredWriter& out, const PlaceRecord& place) {
  out.begin_object();
  out.key("partition");
  out.integer(place.partition.value);
  out.key("index");
  out.integer(place.index.value);
  if (place.growing) {
    out.key("formerPolicy");
    out.value(place.former_policy->definition());
    out.key("growing");
    out.integer(place.growing->value);
  }
  write_range(out, place.range_id, place.range);
  out.key("parents");
  write_texts(out, place.parents);
  out.end_object();
}

void write_former(StoredWriter& out, const std::vector<FormerRange>& former) {
  out.begin_array();
  for (const FormerRange& range : former) {
    out.begin_object();
    write_range(out, range.range_id, range.range);
    out.end_object();
  }
  out.end_array();
}

Result<std::vector<std::string>> read_texts(const Value& value) {
  if (!value.is_array()) return undecodable("a list of texts");
  std::vector<std::string> texts;
  for (size_t i = 0; i < value.size(); ++i) {
    if (!value.element(i).is_string()) return undecodable("a list of texts");
    texts.emplace_back(value.element(i).string());
  }
  return texts;
}

Result<FormerRange> read_range(const Value& value) {
  const Value range_id = value.find("rangeId");
  const Value min = value.find("min");
  const Value max = value.find("max");
  if (!range_id.is_string() || !min.is_string() || !max.is_string()) return undecodable("a partition's range");
  const auto min_bytes = from_hex(min.string());
  const auto max_bytes = from_hex(max.string());
  if (!min_bytes || !max_bytes) return undecodable("a partition's range");
  return FormerRange{std::string(range_id.string()), {*min_bytes, *max_bytes}};
}

Result<PlaceRecord> read_place(const Value& value) {
  const Value partition = value.find("partition");
  const Value index = value.find("index");
  if (!partition.is_number() || !index.is_number()) return undecodable("a partition's place");
  PlaceRecord place;
  place.partition.value = static_cast<uint32_t>(partition.number());
  place.index.value = static_cast<uint32_t>(index.number());
  TRY_ASSIGN(FormerRange named, read_range(value));
  place.range_id = std::move(named.range_id);
  place.range = std::move(named.range);
  TRY_ASSIGN(place.parents, read_texts(value.find("parents")));
  return place;
}

Status read_growth(const Value& value, const PartitionKeyDefinition& key, PlaceRecord& place) {
  const Value growing = value.find("growing");
  if (growing.is_undefined()) return {};
  if (!growing.is_number()) return undecodable("a partition's growing index");
  place.growing = IndexId{static_cast<uint32_t>(growing.number())};
  TRY_ASSIGN(IndexingPolicy former, IndexingPolicy::parse(value.find("formerPolicy"), key));
  place.former_policy = std::make_shared<const IndexingPolicy>(std::move(former));
  return {};
}

Result<std::vector<FormerRange>> read_former(const Value& value) {
  std::vector<FormerRange> former;
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
    TRY_ASSIGN(FormerRange range, read_range(value.element(i)));
    former.push_back(std::move(range));
  }
  return former;
}

Result<std::vector<PlaceRecord>> read_places(const Record& record, std::string_view name) {
  const Value value = record.value(name);
  if (!value.is_array() || value.size() == 0) return undecodable(fmt::format("'{}' is not a list of partitions", name));
  std::vector<PlaceRecord> places;
  for (size_t i = 0; i < value.size(); ++i) {
    TRY_ASSIGN(PlaceRecord place, read_place(value.element(i)));
    places.push_back(std::move(place));
  }
  return places;
}

template <typename Enum, size_t count>
Result<Enum> find_named(std::string_view name, const std::array<Enum, count>& candidates) {
  for (const Enum candidate : candidates) {
    if (name_of(candidate) == name) return candidate;
  }
  return undecodable(fmt::format("'{}' is not known", name));
}

constexpr std::array kScriptTypes = {ScriptType::kStoredProcedure, ScriptType::kTrigger, ScriptType::kUserFunction};

std::string_view script_type_name(ScriptType type) {
  switch (type) {
    case ScriptType::kStoredProcedure: return "procedure";
    case ScriptType::kTrigger: return "trigger";
    case ScriptType::kUserFunction: return "function";
  }
  return "";
}

constexpr std::array kChildTypes = {ChildType::kUser, ChildType::kPermission, ChildType::kEncryptionKey};

std::string_view child_type_name(ChildType type) {
  switch (type) {
    case ChildType::kUser: return "user";
    case ChildType::kPermission: return "permission";
    case ChildType::kEncryptionKey: return "encryptionKey";
  }
  return "";
}

// What kind of row, then the numbers of the resources from the database down.
template <typename... Numbers>
std::string catalog_key(char kind, Numbers... numbers) {
  std::string key(1, kind);
  (append_big_endian(key, numbers), ...);
  return key;
}

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

std::string database_key(uint32_t database) { return catalog_key('d', database); }
std::string container_key(uint32_t database, uint32_t container) { return catalog_key('c', database, container); }
std::string offer_key(uint32_t offer) { return catalog_key('o', offer); }
std::string counter_key(std::string_view name) { return "n" + std::string(name); }

std::string script_key_prefix(uint32_t database, uint32_t container) { return catalog_key('s', database, container); }
std::string script_key(const ScriptResource& script) {
  return catalog_key('s', script.database, script.container, script.number);
}

std::string erasure_key_prefix(uint32_t database, uint32_t container) { return catalog_key('e', database, container); }
std::string erasure_key(const Erasure& erasure) { return catalog_key('e', erasure.database, erasure.container, erasure.number); }

std::string child_key_prefix(uint32_t database) { return catalog_key('u', database); }
std::string child_key(const DatabaseChild& child) { return catalog_key('u', child.place.database, child.number); }

std::string encode_database(const Database& database) {
  RecordWriter record;
  record.integer("number", database.number);
  record.text("id", database.id);
  record.revision(database.revision);
  return record.finish();
}

Result<Database> decode_database(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json));
  Database database;
  TRY_ASSIGN(database.number, record.number("number"));
  TRY_ASSIGN(database.id, record.text("id"));
  TRY_ASSIGN(database.revision, record.revision());
  return database;
}

std::string encode_container(const Container& container) {
  RecordWriter record;
  record.integer("number", container.number);
  record.integer("database", container.database->number);
  record.text("id", container.definition.id);
  record.revision(container.revision);
  write_partition_key_definition(record.member("partitionKey"), container.definition.partition_key);
  record.member("indexingPolicy").value(container.definition.indexing->definition());
  record.member("properties").value(Value::view(container.definition.properties));
  StoredWriter& places = record.member("places");
  places.begin_array();
  for (const PartitionPlace& place : container.places) write_place(places, record_of(place));
  places.end_array();
  if (!container.former.empty()) write_former(record.member("former"), container.former);
  return record.finish();
}

Result<ContainerRecord> decode_container(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json));
  ContainerRecord container;
  TRY_ASSIGN(container.number, record.number("number"));
  TRY_ASSIGN(container.database, record.number("database"));
  TRY_ASSIGN(container.definition.id, record.text("id"));
  TRY_ASSIGN(container.revision, record.revision());
  TRY_ASSIGN(container.definition.partition_key, parse_partition_key_definition(record.value("partitionKey")));
  TRY_ASSIGN(IndexingPolicy indexing, IndexingPolicy::parse(record.value("indexingPolicy"), container.definition.partition_key));
  container.definition.indexing = std::make_shared<const IndexingPolicy>(std::move(indexing));
  TRY_ASSIGN(container.definition.properties, record.properties());
  TRY_ASSIGN(DocumentRules rules, DocumentRules::parse(Value::view(container.definition.properties)));
  container.definition.rules = std::make_shared<const DocumentRules>(std::move(rules));
  TRY_ASSIGN(container.places, read_places(record, "places"));
  for (size_t i = 0; i < container.places.size(); ++i) {
    TRY(read_growth(record.value("places").element(i), container.definition.partition_key, container.places[i]));
  }
  TRY_ASSIGN(container.former, read_former(record.value("former")));
  return container;
}

std::string_view name_of(Reshape::Kind kind) {
  switch (kind) {
    case Reshape::Kind::kSplit: return "split";
    case Reshape::Kind::kMerge: return "merge";
    case Reshape::Kind::kRekey: return "rekey";
  }
  return "";
}

std::string_view name_of(Reshape::State state) {
  switch (state) {
    case Reshape::State::kPrepared: return "prepared";
    case Reshape::State::kCopying: return "copying";
    case Reshape::State::kFenced: return "fenced";
    case Reshape::State::kPublished: return "published";
  }
  return "";
}

std::string_view name_of(ContainerMode mode) {
  switch (mode) {
    case ContainerMode::kOnline: return "online";
    case ContainerMode::kReadOnly: return "readOnly";
    case ContainerMode::kOffline: return "offline";
  }
  return "";
}

Result<ContainerMode> container_mode(std::string_view name) {
  for (const ContainerMode mode : {ContainerMode::kOnline, ContainerMode::kReadOnly, ContainerMode::kOffline}) {
    if (name_of(mode) == name) return mode;
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is no mode; there are online, readOnly and offline.", name));
}

std::string reshape_key(uint32_t database, uint32_t container) {
  std::string key = "r";
  append_big_endian(key, database);
  append_big_endian(key, container);
  return key;
}

std::string encode_reshape(const Reshape& reshape) {
  RecordWriter record;
  record.text("kind", name_of(reshape.kind));
  record.text("state", name_of(reshape.state));
  record.integer("database", reshape.database);
  record.integer("container", reshape.container);
  write_texts(record.member("parents"), reshape.parents);
  if (reshape.partition_key) write_partition_key_definition(record.member("partitionKey"), *reshape.partition_key);
  if (reshape.mode != ContainerMode::kOnline) record.text("mode", name_of(reshape.mode));
  StoredWriter& children = record.member("children");
  children.begin_array();
  for (const PlaceRecord& child : reshape.children) write_place(children, child);
  children.end_array();
  return record.finish();
}

Result<Reshape> decode_reshape(std::string_view json) {
  using Kind = Reshape::Kind;
  using State = Reshape::State;
  TRY_ASSIGN(const Record record, Record::parse(json));
  Reshape reshape;
  TRY_ASSIGN(const std::string kind, record.text("kind"));
  TRY_ASSIGN(const std::string state, record.text("state"));
  TRY_ASSIGN(reshape.kind, find_named(kind, std::array{Kind::kSplit, Kind::kMerge, Kind::kRekey}));
  TRY_ASSIGN(reshape.state, find_named(state, std::array{State::kPrepared, State::kCopying, State::kFenced, State::kPublished}));
  TRY_ASSIGN(reshape.database, record.number("database"));
  TRY_ASSIGN(reshape.container, record.number("container"));
  TRY_ASSIGN(reshape.parents, read_texts(record.value("parents")));
  TRY_ASSIGN(reshape.children, read_places(record, "children"));
  if (const Value key = record.value("partitionKey"); !key.is_undefined()) {
    TRY_ASSIGN(reshape.partition_key, parse_partition_key_definition(key));
  }
  if (const Value mode = record.value("mode"); !mode.is_undefined()) {
    TRY_ASSIGN(const std::string name, record.text("mode"));
    TRY_ASSIGN(reshape.mode, find_named(name, std::array{ContainerMode::kReadOnly, ContainerMode::kOffline}));
  }
  return reshape;
}

std::string encode_offer(const Offer& offer) {
  RecordWriter record;
  record.integer("number", offer.number);
  record.integer("database", offer.database);
  record.integer("container", offer.container);
  record.integer("provisioned", offer.throughput.provisioned);
  if (offer.throughput.autoscale_max) record.integer("autoscaleMax", *offer.throughput.autoscale_max);
  record.integer("provisionedMaxEver", offer.provisioned_max_ever);
  record.revision(offer.revision);
  return record.finish();
}

Result<Offer> decode_offer(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json));
  Offer offer;
  TRY_ASSIGN(offer.number, record.number("number"));
  TRY_ASSIGN(offer.database, record.number("database"));
  TRY_ASSIGN(offer.container, record.number("container"));
  TRY_ASSIGN(offer.throughput.provisioned, record.integer("provisioned"));
  if (!record.value("autoscaleMax").is_undefined()) {
    TRY_ASSIGN(offer.throughput.autoscale_max, record.integer("autoscaleMax"));
  }
  TRY_ASSIGN(offer.provisioned_max_ever, record.integer("provisionedMaxEver"));
  TRY_ASSIGN(offer.revision, record.revision());
  return offer;
}

std::string encode_erasure(const Erasure& erasure) {
  RecordWriter record;
  record.integer("number", erasure.number);
  record.integer("database", erasure.database);
  record.integer("container", erasure.container);
  record.text("key", erasure.key.to_json());
  write_partition_key_definition(record.member("partitionKey"), erasure.definition);
  record.integer("newest", static_cast<int64_t>(erasure.newest.value));
  return record.finish();
}

Result<Erasure> decode_erasure(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json));
  Erasure erasure;
  TRY_ASSIGN(erasure.number, record.number("number"));
  TRY_ASSIGN(erasure.database, record.number("database"));
  TRY_ASSIGN(erasure.container, record.number("container"));
  TRY_ASSIGN(const std::string key, record.text("key"));
  TRY_ASSIGN(erasure.key, PartitionKey::parse(key));
  TRY_ASSIGN(erasure.definition, parse_partition_key_definition(record.value("partitionKey")));
  TRY_ASSIGN(const int64_t newest, record.integer("newest"));
  erasure.newest = Lsn{static_cast<uint64_t>(newest)};
  return erasure;
}

std::string encode_script(const ScriptResource& script) {
  RecordWriter record;
  record.integer("number", script.number);
  record.integer("database", script.database);
  record.integer("container", script.container);
  record.text("type", script_type_name(script.type));
  record.text("id", script.definition.id);
  record.text("body", script.definition.body);
  record.member("properties").value(Value::view(script.definition.properties));
  record.revision(script.revision);
  return record.finish();
}

Result<ScriptResource> decode_script(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json));
  ScriptResource script;
  TRY_ASSIGN(script.number, record.number("number"));
  TRY_ASSIGN(script.database, record.number("database"));
  TRY_ASSIGN(script.container, record.number("container"));
  TRY_ASSIGN(const std::string type, record.text("type"));
  const auto known = std::ranges::find(kScriptTypes, type, script_type_name);
  if (known == kScriptTypes.end()) return undecodable("'type' is not a script's");
  script.type = *known;
  TRY_ASSIGN(script.definition.id, record.text("id"));
  TRY_ASSIGN(script.definition.body, record.text("body"));
  TRY_ASSIGN(script.definition.properties, record.properties());
  TRY_ASSIGN(script.revision, record.revision());
  return script;
}

std::string encode_child(const DatabaseChild& child) {
  RecordWriter record;
  record.integer("number", child.number);
  record.integer("database", child.place.database);
  record.text("type", child_type_name(child.place.type));
  if (child.place.type == ChildType::kPermission) record.integer("user", child.place.user);
  record.text("id", child.definition.id);
  record.member("properties").value(Value::view(child.definition.properties));
  record.revision(child.revision);
  return record.finish();
}

Result<DatabaseChild> decode_child(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json));
  DatabaseChild child;
  TRY_ASSIGN(child.number, record.number("number"));
  TRY_ASSIGN(child.place.database, record.number("database"));
  TRY_ASSIGN(const std::string type, record.text("type"));
  const auto known = std::ranges::find(kChildTypes, type, child_type_name);
  if (known == kChildTypes.end()) return undecodable("'type' is not a child's");
  child.place.type = *known;
  if (child.place.type == ChildType::kPermission) {
    TRY_ASSIGN(child.place.user, record.number("user"));
  }
  TRY_ASSIGN(child.definition.id, record.text("id"));
  TRY_ASSIGN(child.definition.properties, record.properties());
  TRY_ASSIGN(child.revision, record.revision());
  return child;
}

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
  if (paths.size() > kPartitionKeyPathsMax) return reject(fmt::format("it has more than {} paths", kPartitionKeyPathsMax));
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
