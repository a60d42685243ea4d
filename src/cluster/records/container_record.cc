#include "base/encodings.h"
#include "cluster/records/key_definition.h"
#include "cluster/records/record_form.h"

// Where a container's partitions are, in records.
namespace partita {
namespace {

// Of containers whose documents have another form than the service's. Versions that do not know forms refuse such a record.
constexpr int64_t kFormedContainerFormat = 2;
// Of containers whose partition key the server computes. Versions that do not would store documents without it.
constexpr int64_t kSyntheticContainerFormat = 3;

int64_t format_of(const ContainerDefinition& definition) {
  if (definition.synthetic_key) return kSyntheticContainerFormat;
  return definition.form.is_service() ? kCatalogRecordFormat : kFormedContainerFormat;
}

PlaceRecord record_of(const PartitionPlace& place) {
  PlaceRecord record;
  record.partition = place.partition->id();
  const Partition::Index index = place.partition->local().index();
  record.index = index.id;
  if (const std::optional<Partition::Growth> growth = place.partition->local().growth()) {
    record.former_policy = index.policy;
    record.growing = growth->index.id;
  }
  record.range_id = place.range_id;
  record.parents = place.parents;
  record.range = place.range();
  return record;
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
    if (!place.former_policy->full_text_paths().empty()) {
      out.key("formerFullTextPolicy");
      out.value(Value::view(place.former_policy->full_text_policy()));
    }
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

std::optional<uint32_t> number_in(const Value& value) {
  const std::optional<int64_t> integer = value.is_number() ? value.integer() : std::nullopt;
  if (!integer || *integer < 0 || *integer > UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*integer);
}

Result<PlaceRecord> read_place(const Value& value) {
  const std::optional<uint32_t> partition = number_in(value.find("partition"));
  const std::optional<uint32_t> index = number_in(value.find("index"));
  if (!partition || !index) return undecodable("a partition's place");
  PlaceRecord place;
  place.partition.value = *partition;
  place.index.value = *index;
  TRY_ASSIGN(FormerRange named, read_range(value));
  place.range_id = std::move(named.range_id);
  place.range = std::move(named.range);
  TRY_ASSIGN(place.parents, read_texts(value.find("parents")));
  return place;
}

Status read_growth(const Value& value, const ContainerDefinition& definition, PlaceRecord& place) {
  const Value growing = value.find("growing");
  if (growing.is_undefined()) return {};
  const std::optional<uint32_t> number = number_in(growing);
  if (!number) return undecodable("a partition's growing index");
  place.growing = IndexId{*number};
  TRY_ASSIGN(IndexingPolicy former, IndexingPolicy::parse(value.find("formerPolicy"), definition.partition_key,
                                                          value.find("formerFullTextPolicy"), definition.form));
  place.former_policy = std::make_shared<const IndexingPolicy>(std::move(former));
  return {};
}

// Whoever looks for the place of a hash relies on it.
Status check_map(const std::vector<PlaceRecord>& places) {
  EffectivePartitionKey end = kEffectiveKeyMin;
  for (const PlaceRecord& place : places) {
    if (place.range.min != end || place.range.max <= place.range.min) return undecodable("the partitions leave a gap or overlap");
    end = place.range.max;
  }
  return end == kEffectiveKeyMax ? Status() : undecodable("the partitions leave a gap or overlap");
}

Result<std::vector<FormerRange>> read_former(const Value& value) {
  std::vector<FormerRange> former;
  for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
    TRY_ASSIGN(FormerRange range, read_range(value.element(i)));
    former.push_back(std::move(range));
  }
  return former;
}

}  // namespace

void write_texts(StoredWriter& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
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

void write_places(StoredWriter& out, const std::vector<PlaceRecord>& places) {
  out.begin_array();
  for (const PlaceRecord& place : places) write_place(out, place);
  out.end_array();
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

std::string encode_container(const Container& container) {
  const DocumentForm& form = container.definition.form;
  RecordWriter record(format_of(container.definition));
  record.integer("number", container.number);
  record.integer("database", container.database->number);
  record.text("id", container.definition.id);
  record.revision(container.revision);
  if (!form.is_service()) form.write_to(record.member("documentForm"));
  write_partition_key_definition(record.member("partitionKey"), container.definition.partition_key);
  record.member("indexingPolicy").value(container.definition.indexing->definition());
  record.member("properties").value(Value::view(container.definition.properties));
  std::vector<PlaceRecord> places;
  for (const PartitionPlace& place : container.places) places.push_back(record_of(place));
  write_places(record.member("places"), places);
  if (!container.former.empty()) write_former(record.member("former"), container.former);
  return record.finish();
}

Result<ContainerRecord> decode_container(std::string_view json) {
  TRY_ASSIGN(const Record record, Record::parse(json, kSyntheticContainerFormat));
  ContainerRecord container;
  TRY_ASSIGN(container.definition.form, DocumentForm::parse(record.value("documentForm")));
  TRY_ASSIGN(container.number, record.number("number"));
  TRY_ASSIGN(container.database, record.number("database"));
  TRY_ASSIGN(container.definition.id, record.text("id"));
  TRY_ASSIGN(container.revision, record.revision());
  TRY_ASSIGN(container.definition.partition_key, parse_partition_key_definition(record.value("partitionKey")));
  TRY_ASSIGN(container.definition.properties, record.properties());
  TRY_ASSIGN(IndexingPolicy indexing, IndexingPolicy::parse(record.value("indexingPolicy"), container.definition.partition_key,
                                                            Value::view(container.definition.properties).find("fullTextPolicy"),
                                                            container.definition.form));
  container.definition.indexing = std::make_shared<const IndexingPolicy>(std::move(indexing));
  TRY_ASSIGN(DocumentRules rules, DocumentRules::parse(Value::view(container.definition.properties)));
  container.definition.rules = std::make_shared<const DocumentRules>(std::move(rules));
  TRY_ASSIGN(const int64_t format, record.integer("format"));
  if (format >= kSyntheticContainerFormat) {
    TRY_ASSIGN(container.definition.synthetic_key,
               query::SyntheticKey::of(Value::view(container.definition.properties), container.definition.partition_key));
  }
  TRY_ASSIGN(container.places, read_places(record, "places"));
  TRY(check_map(container.places));
  for (size_t i = 0; i < container.places.size(); ++i) {
    TRY(read_growth(record.value("places").element(i), container.definition, container.places[i]));
  }
  TRY_ASSIGN(container.former, read_former(record.value("former")));
  return container;
}

}  // namespace partita
