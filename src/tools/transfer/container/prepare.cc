#include "tools/transfer/container/prepare.h"

#include "document/json/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace partita::tools::transfer {
namespace {

std::unexpected<Error> explain(const client::ContainerName& name, const client::Failure& failure) {
  return fail(failure.code, fmt::format("container {} of database {}: {}", name.container, name.database, failure.message));
}

// NAME=QUERY as the server reads it.
Result<std::string> computed_json(const std::vector<std::string>& computed) {
  std::string json;
  for (const std::string& one : computed) {
    const size_t equals = one.find('=');
    if (equals == 0 || equals == std::string::npos)
      return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not of the form NAME=SELECT VALUE ...", one));
    json += json.empty() ? "[{\"name\":" : ",{\"name\":";
    append_json_string(json, std::string_view(one).substr(0, equals));
    json += ",\"query\":";
    append_json_string(json, std::string_view(one).substr(equals + 1));
    json += '}';
  }
  return json.empty() ? json : json + "]";
}

bool is_in_key(const PartitionKeyDefinition& key, std::string_view property) {
  return std::ranges::any_of(
      key.paths, [&](const DocumentPath& path) { return path.segments.size() == 1 && path.segments.front() == property; });
}

// Whether values of this query are random: one that only mentions the function counts as well.
bool draws(const Value& query) {
  if (!query.is_string()) return false;
  std::string text(query.string());
  std::ranges::transform(text, text.begin(),
                         [](char one) { return one >= 'a' && one <= 'z' ? static_cast<char>(one - 32) : one; });
  return text.contains("RANDOM_BUCKET");
}

Result<PreparedContainer> describe(client::ContainerDefinition definition) {
  PreparedContainer prepared{.definition = std::move(definition)};
  if (prepared.definition.computed_properties.empty()) return prepared;
  TRY_ASSIGN(const std::string stored, stored_from_json(prepared.definition.computed_properties));
  const Value array = Value::view(stored);
  for (size_t index = 0; array.is_array() && index < array.size(); ++index) {
    const Value entry = array.element(index);
    const Value name = entry.is_object() ? entry.find("name") : Value();
    if (!name.is_string()) continue;
    prepared.computed.emplace_back(name.string());
    if (is_in_key(prepared.definition.partition_key, name.string()))
      prepared.keys = std::max(prepared.keys, draws(entry.find("query")) ? KeyOrigin::kDrawn : KeyOrigin::kComputed);
  }
  return prepared;
}

Status note_throughput(const client::Client& client, PreparedContainer& prepared) {
  const client::Answer<client::Offer> offer = client::read_offer(client, prepared.definition);
  if (!offer) return {};  // it shares that of its database, or nobody may see it
  prepared.throughput = static_cast<double>(offer->throughput.manual.value_or(offer->throughput.autoscale_max.value_or(0)));
  return {};
}

std::string paths_of(const PartitionKeyDefinition& key) {
  std::vector<std::string> paths;
  for (const DocumentPath& path : key.paths) paths.push_back(path.text());
  return fmt::format("{}", fmt::join(paths, ","));
}

Result<client::ContainerDefinition> new_definition(const client::ContainerName& name, const ContainerWish& wish) {
  client::ContainerDefinition definition{.id = name.container, .indexing_policy = wish.indexing_policy};
  TRY_ASSIGN(definition.partition_key, client::partition_key_definition(wish.partition_key));
  TRY_ASSIGN(definition.computed_properties, computed_json(wish.computed));
  return definition;
}

// Who finds what is there by its key cannot find it where the key is drawn anew.
Status check_keys(const PreparedContainer& container, const ContainerWish& wish) {
  if (wish.may_draw_keys || container.keys != KeyOrigin::kDrawn) return {};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format(
          "the server draws the partition key {} at random (RANDOM_BUCKET), so that --mode upsert and skip could not find the "
          "documents that are there and would add second ones. Use --mode insert for documents that are not there, and "
          "--mode replace for documents that have their {}, as exported ones do",
          paths_of(container.definition.partition_key), paths_of(container.definition.partition_key)));
}

Result<PreparedContainer> create(const client::Client& client, const client::ContainerName& name, const ContainerWish& wish) {
  TRY_ASSIGN(const client::ContainerDefinition wanted, new_definition(name, wish));
  TRY_ASSIGN(const PreparedContainer planned, describe(wanted));
  TRY(check_keys(planned, wish));
  const client::Answer<client::Response> database = client::create_database(client, name.database);
  if (!database && database.error().status != 409) return explain(name, database.error());
  client::Answer<client::ContainerDefinition> created =
      client::create_container(client, name.database, wanted, {.manual = wish.throughput});
  if (!created) return explain(name, created.error());
  TRY_ASSIGN(PreparedContainer prepared, describe(std::move(*created)));
  prepared.is_new = true;
  return prepared;
}

}  // namespace

Result<PreparedContainer> find_container(const client::Client& client, const client::ContainerName& name) {
  client::Answer<client::ContainerDefinition> found = client::read_container(client, name);
  if (!found) return explain(name, found.error());
  TRY_ASSIGN(PreparedContainer prepared, describe(std::move(*found)));
  TRY(note_throughput(client, prepared));
  return prepared;
}

Result<PreparedContainer> prepare_container(const client::Client& client, const client::ContainerName& name,
                                            const ContainerWish& wish) {
  Result<PreparedContainer> found = find_container(client, name);
  const bool is_missing =
      !found && (found.error().code == ErrorCode::kNotFound || found.error().code == ErrorCode::kOwnerNotFound);
  if (!found && !is_missing) return found;
  if (is_missing && wish.partition_key.empty()) {
    return fail(ErrorCode::kNotFound, fmt::format("there is no container {} in database {}; --partition-key /path makes one",
                                                  name.container, name.database));
  }
  if (is_missing) found = create(client, name, wish);
  if (!found || is_missing) {
    if (found) TRY(note_throughput(client, *found));
    return found;
  }
  TRY(check_keys(*found, wish));
  if (!wish.partition_key.empty()) {
    TRY_ASSIGN(const PartitionKeyDefinition wanted, client::partition_key_definition(wish.partition_key));
    if (wanted.paths != found->definition.partition_key.paths) {
      return fail(
          ErrorCode::kInvalidInput,
          fmt::format("the container {} is there already and has the partition key {}", name.container,
                      found->definition.partition_key.paths.empty() ? "(none)" : paths_of(found->definition.partition_key)));
    }
  }
  if (!wish.throughput) return found;
  TRY(set_throughput(client, name, *wish.throughput));
  found->throughput = static_cast<double>(*wish.throughput);
  return found;
}

Status set_throughput(const client::Client& client, const client::ContainerName& name, int64_t throughput) {
  const client::Answer<client::ContainerDefinition> definition = client::read_container(client, name);
  if (!definition) return explain(name, definition.error());
  const client::Answer<client::Offer> offer = client::read_offer(client, *definition);
  if (!offer) return explain(name, offer.error());
  const client::Answer<client::Offer> replaced = client::replace_offer(client, *offer, {.manual = throughput});
  if (!replaced) return explain(name, replaced.error());
  return {};
}

}  // namespace partita::tools::transfer
