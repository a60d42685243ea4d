#include "cluster/records/key_definition.h"
#include "cluster/records/record_form.h"

#include <array>

// The journal of a change of a container's map, as a record.
namespace partita {
namespace {

// Of a change to a partition key that the server computes. Versions that do not would move documents without it.
constexpr int64_t kSyntheticReshapeFormat = 2;

template <typename Enum, size_t count>
Result<Enum> find_named(std::string_view name, const std::array<Enum, count>& candidates) {
  for (const Enum candidate : candidates) {
    if (name_of(candidate) == name) return candidate;
  }
  return undecodable(fmt::format("'{}' is not known", name));
}

}  // namespace

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

std::string encode_reshape(const Reshape& reshape) {
  RecordWriter record(reshape.computed_properties.empty() ? kCatalogRecordFormat : kSyntheticReshapeFormat);
  record.text("kind", name_of(reshape.kind));
  record.text("state", name_of(reshape.state));
  record.integer("database", reshape.database);
  record.integer("container", reshape.container);
  write_texts(record.member("parents"), reshape.parents);
  if (reshape.partition_key) write_partition_key_definition(record.member("partitionKey"), *reshape.partition_key);
  if (!reshape.computed_properties.empty()) {
    record.member("computedProperties").value(Value::view(reshape.computed_properties));
  }
  if (reshape.mode != ContainerMode::kOnline) record.text("mode", name_of(reshape.mode));
  write_places(record.member("children"), reshape.children);
  return record.finish();
}

Result<Reshape> decode_reshape(std::string_view json) {
  using Kind = Reshape::Kind;
  using State = Reshape::State;
  TRY_ASSIGN(const Record record, Record::parse(json, kSyntheticReshapeFormat));
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
  if (const Value computed = record.value("computedProperties"); !computed.is_undefined()) {
    reshape.computed_properties = computed.bytes();
  }
  if (const Value mode = record.value("mode"); !mode.is_undefined()) {
    TRY_ASSIGN(const std::string name, record.text("mode"));
    TRY_ASSIGN(reshape.mode, find_named(name, std::array{ContainerMode::kReadOnly, ContainerMode::kOffline}));
  }
  return reshape;
}

}  // namespace partita
