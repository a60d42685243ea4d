#include "client/container.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace partita::client {

struct Container::Known {
  std::mutex mutex;  // guards what follows; not held while a server is asked
  std::shared_ptr<const ContainerDefinition> definition;
  Ranges ranges;
};

Container::Container(Client client, ContainerName name)
    : client_(std::move(client)), name_(std::move(name)), known_(std::make_shared<Known>()) {}

Answer<std::shared_ptr<const ContainerDefinition>> Container::definition() const {
  {
    std::lock_guard lock(known_->mutex);
    if (known_->definition) return known_->definition;
  }
  TRY_ASSIGN(ContainerDefinition read, read_container(client_, name_));
  auto definition = std::make_shared<const ContainerDefinition>(std::move(read));
  std::lock_guard lock(known_->mutex);
  known_->definition = definition;
  return definition;
}

Answer<Container::Ranges> Container::ranges() const { return ranges_after(nullptr); }

Answer<Container::Ranges> Container::ranges_after(const Ranges& stale) const {
  {
    std::lock_guard lock(known_->mutex);
    if (known_->ranges != stale) return known_->ranges;
  }
  TRY_ASSIGN(std::vector<PartitionRange> read, read_partition_ranges(client_, name_));
  auto ranges = std::make_shared<const std::vector<PartitionRange>>(std::move(read));
  std::lock_guard lock(known_->mutex);
  known_->ranges = ranges;
  return ranges;
}

Answer<PartitionRange> Container::range_of(const PartitionKey& key) const {
  TRY_ASSIGN(const auto container, definition());
  TRY_ASSIGN(const Ranges known, ranges());
  const EffectivePartitionKey hash = effective_partition_key(key, container->partition_key);
  const auto found = std::ranges::find_if(*known, [&](const PartitionRange& range) { return range.hashes.contains(hash); });
  if (found != known->end()) return *found;
  return std::unexpected(Failure(Error{ErrorCode::kInternal, "no partition has this key"}));
}

Answer<PartitionKey> Container::key_of(std::string_view document) const {
  TRY_ASSIGN(const auto container, definition());
  TRY_ASSIGN(const std::string stored, stored_from_json(document));
  return PartitionKey::of(Value::view(stored), container->partition_key);
}

Answer<Response> Container::create(std::string document, const ItemOptions& options) const {
  TRY_ASSIGN(const PartitionKey own, key_of(document));
  return client_.send_expecting_success(create_item(name_, own, std::move(document), options));
}

Answer<Response> Container::upsert(std::string document, const ItemOptions& options) const {
  TRY_ASSIGN(const PartitionKey own, key_of(document));
  return client_.send_expecting_success(upsert_item(name_, own, std::move(document), options));
}

Answer<Response> Container::replace(std::string document, const ItemOptions& options) const {
  TRY_ASSIGN(const auto container, definition());
  TRY_ASSIGN(const std::string stored, stored_from_json(document));
  const Value value = Value::view(stored);
  const Value id = value.find("id");
  if (!id.is_string()) {
    return std::unexpected(
        Failure(Error{ErrorCode::kInvalidInput, "a document that replaces another one needs its id, a string"}));
  }
  const PartitionKey own = PartitionKey::of(value, container->partition_key);
  return client_.send_expecting_success(replace_item(name_, own, id.string(), std::move(document), options));
}

Answer<Response> Container::patch(const PartitionKey& key, std::string_view id, std::string operations,
                                  const ItemOptions& options) const {
  return client_.send_expecting_success(patch_item(name_, key, id, std::move(operations), options));
}

Answer<Response> Container::read(const PartitionKey& key, std::string_view id, const ItemOptions& options) const {
  return client_.send_expecting_success(read_item(name_, key, id, options));
}

Answer<Response> Container::remove(const PartitionKey& key, std::string_view id, const ItemOptions& options) const {
  return client_.send_expecting_success(delete_item(name_, key, id, options));
}

Answer<Response> Container::execute(const PartitionKey& key, std::string_view procedure, std::string parameters) const {
  return client_.send_expecting_success(execute_procedure(name_, key, procedure, std::move(parameters)));
}

}  // namespace partita::client
