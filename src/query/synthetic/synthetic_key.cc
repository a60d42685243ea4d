#include "query/synthetic/synthetic_key.h"

#include "document/stored/stored_writer.h"
#include "document/system_properties.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::query {
namespace {

constexpr std::string_view kProperties = "computedProperties";

std::string text_of(const PartitionKeyComponent& component) {
  const std::string array = PartitionKey{{component}}.to_json();
  return array.substr(1, array.size() - 2);
}

bool is_undefined(const PartitionKeyComponent& component) { return std::holds_alternative<UndefinedKey>(component); }

// `properties`: the value that counts, that of the last member of its name.
std::string without(const Value& container, const Value& properties, const std::vector<SyntheticLevel>& levels) {
  StoredWriter out;
  out.begin_object();
  for (size_t i = 0; i < container.size(); ++i) {
    const auto [name, value] = container.member(i);
    if (name == kProperties) continue;
    out.key(name);
    out.value(value);
  }
  out.key(kProperties);
  out.begin_array();
  for (size_t i = 0; i < properties.size(); ++i) {
    const Value property = properties.element(i);
    const Value computed = property.find("name");
    const bool is_level =
        computed.is_string() && std::ranges::find(levels, computed.string(), &SyntheticLevel::name) != levels.end();
    if (!is_level) out.value(property);
  }
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace

Result<std::shared_ptr<const SyntheticKey>> SyntheticKey::of(const Value& container, const PartitionKeyDefinition& key) {
  const Value properties = container.find(kProperties);
  if (!properties.is_array() || properties.size() == 0 || key.is_system_key) return nullptr;
  // What the server gives a document changes with every write, or is not known before it.
  std::set<std::string_view> forbidden(system_property::kAll.begin(), system_property::kAll.end());
  for (size_t i = 0; i < properties.size(); ++i) {
    const Value name = properties.element(i).find("name");
    if (name.is_string()) forbidden.insert(name.string());
  }
  auto synthetic = std::make_shared<SyntheticKey>();
  for (size_t i = 0; i < properties.size(); ++i) {
    const Value name = properties.element(i).find("name");
    const Value text = properties.element(i).find("query");
    const bool is_level = name.is_string() && text.is_string() && std::ranges::any_of(key.paths, [&](const DocumentPath& path) {
                            return path.segments.size() == 1 && path.segments[0] == name.string();
                          });
    if (!is_level) continue;
    TRY_ASSIGN(SyntheticLevel level, SyntheticLevel::parse(name.string(), text.string(), forbidden));
    synthetic->levels_.push_back(std::move(level));
  }
  if (synthetic->levels_.empty()) return nullptr;
  synthetic->other_properties_ = without(container, properties, synthetic->levels_);
  return synthetic;
}

bool SyntheticKey::is_same(const SyntheticKey& other) const {
  return levels_.size() == other.levels_.size() && std::ranges::all_of(levels_, [&](const SyntheticLevel& level) {
           const auto same = std::ranges::find(other.levels_, level.name(), &SyntheticLevel::name);
           return same != other.levels_.end() && same->text() == level.text();
         });
}

std::string_view SyntheticKey::random_name() const {
  const auto random =
      std::ranges::find_if(levels_, [](const SyntheticLevel& level) { return level.random_buckets().has_value(); });
  return random == levels_.end() ? std::string_view() : std::string_view(random->name());
}

const SyntheticLevel* SyntheticKey::level_of(const DocumentPath& path) const {
  if (path.segments.size() != 1) return nullptr;
  const auto level = std::ranges::find(levels_, path.segments[0], &SyntheticLevel::name);
  return level == levels_.end() ? nullptr : &*level;
}

Result<PartitionKeyComponent> SyntheticKey::value_for(const SyntheticLevel& level, const Value& document,
                                                      const PartitionKeyComponent& brought, const Draw& draw) const {
  const std::vector<PartitionKeyComponent> sources = level.sources_in(document);
  const auto buckets = level.random_buckets();
  if (buckets && !is_undefined(brought)) {
    TRY_ASSIGN(const bool is_possible, level.can_give(sources, brought));
    if (is_possible) return brought;
  }
  const std::optional<uint32_t> bucket = buckets ? std::optional(draw(*buckets)) : std::nullopt;
  return level.value(sources, bucket);
}

Result<std::vector<SyntheticKey::Addition>> SyntheticKey::additions_to(const Value& document, const PartitionKeyDefinition& key,
                                                                       const PartitionKey* given, const Draw& draw) const {
  std::vector<Addition> additions;
  for (size_t i = 0; i < key.paths.size(); ++i) {
    const SyntheticLevel* const level = level_of(key.paths[i]);
    if (level == nullptr) continue;
    const Value stored = document.find(level->name());
    PartitionKeyComponent own = PartitionKey::of(document, key).components[i];
    const bool is_in_request = given != nullptr && i < given->components.size();
    const PartitionKeyComponent& brought = stored.is_undefined() && is_in_request ? given->components[i] : own;
    TRY_ASSIGN(PartitionKeyComponent value, value_for(*level, document, brought, draw));
    if (stored.is_undefined()) {
      if (!is_undefined(value)) additions.push_back({level->name(), std::move(value)});
      continue;
    }
    if (!is_undefined(own) && own == value) continue;
    return fail(
        ErrorCode::kInvalidInput,
        fmt::format("The document has '{}' = {}, but {} computes {} from its other properties. Leave '{}' out, or give "
                    "the computed value; a document cannot move to another partition key value: delete it and create it.",
                    level->name(), is_undefined(own) ? "an array or object" : text_of(own), "the container's definition",
                    is_undefined(value) ? "nothing (a property that it needs is missing)" : text_of(value), level->name()));
  }
  return additions;
}

void SyntheticKey::write(StoredWriter& out, const std::vector<Addition>& additions) {
  for (const auto& [name, value] : additions) {
    out.key(name);
    if (std::holds_alternative<NullKey>(value)) out.null();
    if (const bool* boolean = std::get_if<bool>(&value)) out.boolean(*boolean);
    if (const double* number = std::get_if<double>(&value)) out.number(*number);
    if (const std::string* text = std::get_if<std::string>(&value)) out.string(*text);
  }
}

Result<PartitionKey> SyntheticKey::key_of(const Value& properties, const PartitionKeyDefinition& key) const {
  PartitionKey whole = PartitionKey::of(properties, key);
  for (size_t i = 0; i < key.paths.size(); ++i) {
    const SyntheticLevel* const level = level_of(key.paths[i]);
    if (level != nullptr && level->random_buckets()) {
      return fail(
          ErrorCode::kInvalidInput,
          fmt::format("'{}' has a random part, so other properties do not say where a document is: give the partition key "
                      "value, or query by those properties.",
                      level->name()));
    }
    if (level != nullptr) {
      TRY_ASSIGN(whole.components[i], level->value(level->sources_in(properties), std::nullopt));
    }
    if (!is_undefined(whole.components[i])) continue;
    std::string needed;
    if (level == nullptr) needed = key.paths[i].text();
    for (const DocumentPath& source : level == nullptr ? std::vector<DocumentPath>() : level->sources()) {
      needed += (needed.empty() ? "" : ", ") + source.text();
    }
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The properties do not give a value for the partition key path {}: it needs {}.", key.paths[i].text(),
                            needed));
  }
  return whole;
}

}  // namespace partita::query
