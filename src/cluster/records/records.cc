#include "cluster/records/records.h"

#include "base/bytes.h"
#include "cluster/records/key_definition.h"
#include "cluster/records/record_form.h"

#include <algorithm>
#include <array>

namespace partita {
namespace {

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

std::string reshape_key(uint32_t database, uint32_t container) { return catalog_key('r', database, container); }

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

std::string encode_offer(const Offer& offer) {
  RecordWriter record;
  record.integer("number", offer.number);
  record.integer("database", offer.database);
  record.integer("container", offer.container);
  record.integer("provisioned", offer.throughput.provisioned);
  if (offer.throughput.autoscale_max) record.integer("autoscaleMax", *offer.throughput.autoscale_max);
  if (offer.throughput.increment_percent) record.integer("incrementPercent", *offer.throughput.increment_percent);
  if (offer.throughput.level != PerformanceLevel::kNone) record.text("level", name_of(offer.throughput.level));
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
  if (!record.value("incrementPercent").is_undefined()) {
    TRY_ASSIGN(offer.throughput.increment_percent, record.integer("incrementPercent"));
  }
  if (!record.value("level").is_undefined()) {
    TRY_ASSIGN(const std::string level, record.text("level"));
    const Result<PerformanceLevel> known = performance_level(level);
    if (!known) return undecodable(known.error().message);
    offer.throughput.level = *known;
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

}  // namespace partita
