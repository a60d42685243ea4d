#include "cluster/reshape/key_change.h"

#include "base/bytes.h"
#include "document/key/murmur3.h"
#include "document/stored/stored_writer.h"
#include "query/computed_properties.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

constexpr std::string_view kComputed = "computedProperties";

bool is_named(const PartitionKeyDefinition& key, const Value& property) {
  const Value name = property.find("name");
  return name.is_string() && std::ranges::find(key.paths, DocumentPath{{std::string(name.string())}}) != key.paths.end();
}

bool has_named(const Value& array, const Value& name) {
  for (size_t i = 0; array.is_array() && i < array.size(); ++i) {
    const Value other = array.element(i).find("name");
    if (other.is_string() && name.is_string() && other.string() == name.string()) return true;
  }
  return false;
}

bool was_key(const ContainerDefinition& container, const Value& name) {
  return container.synthetic_key && name.is_string() &&
         container.synthetic_key->level_of(DocumentPath{{std::string(name.string())}}) != nullptr;
}

// The container's own that are kept, then those of the new key.
void write_properties(StoredWriter& out, const ContainerDefinition& container, const Value& of_key) {
  const Value before = Value::view(container.properties).find(kComputed);
  out.begin_array();
  for (size_t i = 0; before.is_array() && i < before.size(); ++i) {
    const Value name = before.element(i).find("name");
    if (!was_key(container, name) && !has_named(of_key, name)) out.value(before.element(i));
  }
  for (size_t i = 0; of_key.is_array() && i < of_key.size(); ++i) out.value(of_key.element(i));
  out.end_array();
}

std::string without(const Item& item, const query::SyntheticKey& former) {
  const Value document = item.document();
  StoredWriter out;
  out.begin_object();
  for (size_t i = 0; i < document.size(); ++i) {
    const auto [name, value] = document.member(i);
    if (former.level_of(DocumentPath{{std::string(name)}}) != nullptr) continue;
    out.key(name);
    out.value(value);
  }
  out.end_object();
  std::string record = item_record(out.bytes());
  set_lsn(record, item.lsn());
  return record;
}

uint32_t bucket_of(DocumentNumber number, uint32_t buckets) {
  std::string bytes;
  append_big_endian(bytes, number.value);
  return 1 + murmur3_x86_32(bytes) % buckets;
}

}  // namespace

Result<std::string> computed_properties_of(const PartitionKeyDefinition& key, const Value& wanted,
                                           const ContainerDefinition& container) {
  TRY(query::check_computed_properties(wanted, key));
  StoredWriter out;
  out.begin_array();
  size_t count = 0;
  const auto take_from = [&](const Value& array, const Value& besides) {
    for (size_t i = 0; array.is_array() && i < array.size(); ++i) {
      if (!is_named(key, array.element(i)) || has_named(besides, array.element(i).find("name"))) continue;
      out.value(array.element(i));
      ++count;
    }
  };
  take_from(wanted, Value());
  for (size_t i = 0; wanted.is_array() && i < wanted.size(); ++i) {
    if (is_named(key, wanted.element(i))) continue;
    return fail(ErrorCode::kInvalidInput, fmt::format("No path of the new partition key names the computed property '{}'.",
                                                      wanted.element(i).find("name").string()));
  }
  take_from(Value::view(container.properties).find(kComputed), wanted);
  out.end_array();
  return count == 0 ? std::string() : out.take();
}

Result<KeyChange> key_change_of(const Reshape& reshape, const ContainerDefinition& container) {
  const Value of_key = reshape.computed_properties.empty() ? Value() : Value::view(reshape.computed_properties);
  if (of_key.is_undefined() && !container.synthetic_key) return KeyChange{container.properties, nullptr};
  const Value before = Value::view(container.properties);
  StoredWriter out;
  out.begin_object();
  for (size_t i = 0; i < before.size(); ++i) {
    const auto [name, value] = before.member(i);
    if (name == kComputed) continue;
    out.key(name);
    out.value(value);
  }
  out.key(kComputed);
  write_properties(out, container, of_key);
  out.end_object();
  KeyChange change{out.take(), nullptr};
  TRY(query::check_computed_properties(Value::view(change.properties).find(kComputed), *reshape.partition_key));
  TRY_ASSIGN(change.synthetic_key, query::SyntheticKey::of(Value::view(change.properties), *reshape.partition_key));
  return change;
}

Transfer::Convert conversion_of(const KeyChange& change, const Reshape& reshape, const ContainerDefinition& container) {
  if (!change.synthetic_key) return {};
  return [synthetic = change.synthetic_key, former = container.synthetic_key,
          key = *reshape.partition_key](Item item) -> Result<Item> {
    if (former) item.record = without(item, *former);
    const auto draw = [&](uint32_t buckets) { return bucket_of(item.number, buckets); };
    const auto additions = synthetic->additions_to(item.document(), key, nullptr, draw);
    if (!additions) {
      return fail(additions.error().code, fmt::format("The document '{}': {}", item.id(), additions.error().message));
    }
    if (additions->empty()) return item;
    item.record = record_with_members(item.record, [&](StoredWriter& out) { query::SyntheticKey::write(out, *additions); });
    return item;
  };
}

}  // namespace partita
