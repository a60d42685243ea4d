#include "protocols/cosmos/authorization/computed_key.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::cosmos {
namespace {

std::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("The header {} {}.", header::kKeyOf, why));
}

bool is_point_operation(const Operation& operation) {
  if (operation.kind != ResourceKind::kItem || operation.is_feed) return false;
  return operation.action == Action::kRead || operation.action == Action::kReplace || operation.action == Action::kPatch ||
         operation.action == Action::kDelete;
}

// SDKs give an undefined key where their user gave none.
bool is_open(const std::optional<PartitionKey>& given) {
  return !given || std::ranges::all_of(given->components,
                                       [](const auto& component) { return std::holds_alternative<UndefinedKey>(component); });
}

Result<PartitionKey> computed_key(const Exchange& exchange, const Catalog& catalog, std::string_view json) {
  if (!is_point_operation(exchange.operation())) return refuse("is for reading, replacing, patching or deleting one document");
  if (json.size() > kKeyOfBytesMax) return refuse(fmt::format("has {} bytes, the limit is {}", json.size(), kKeyOfBytesMax));
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) return refuse("is not JSON: " + stored.error().message);
  if (!Value::view(*stored).is_object()) return refuse("must be a JSON object with properties of the document");
  TRY_ASSIGN(const auto container, catalog.container(exchange.path().database(), exchange.path().container()));
  const ContainerDefinition& definition = container->definition;
  if (!definition.synthetic_key) return refuse("needs a container whose partition key is computed by the server");
  if (PartitionKey::repeated_in(Value::view(*stored), definition.partition_key) != nullptr) return refuse("repeats a property");
  TRY_ASSIGN(const auto given, exchange.partition_key());
  TRY_ASSIGN(PartitionKey key, definition.synthetic_key->key_of(Value::view(*stored), definition.partition_key));
  if (is_open(given) || *given == key) return key;
  return refuse(fmt::format("gives the partition key {}, the request says {}", key.to_json(), given->to_json()));
}

}  // namespace

void compute_key(Exchange& exchange, const Catalog& catalog) {
  const std::optional<std::string_view> json = exchange.request().find_header(header::kKeyOf);
  if (json) exchange.set_computed_key(computed_key(exchange, catalog, *json));
}

}  // namespace partita::cosmos
