#pragma once

#include "client/client.h"
#include "client/items/item_requests.h"
#include "client/resources/containers.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::client {

// Container: the documents of one container, for those who wait for each answer. Thread-safe; copies share what they know.
//
// Reads the container's definition and its partitions when it first needs them, and keeps both. Partition keys may be given, or
// left to the definition.
class Container {
 public:
  Container(Client client, ContainerName name);

  const Client& client() const { return client_; }
  const ContainerName& name() const { return name_; }

  // As it was read first; what another client changed since is not known.
  Answer<std::shared_ptr<const ContainerDefinition>> definition() const;
  using Ranges = std::shared_ptr<const std::vector<PartitionRange>>;
  Answer<Ranges> ranges() const;
  // Reads them again unless somebody else did since `stale` was got.
  Answer<Ranges> ranges_after(const Ranges& stale) const;
  // The partition that has a hash.
  Answer<PartitionRange> range_of(const PartitionKey& key) const;

  // What the definition makes of a document (JSON text).
  Answer<PartitionKey> key_of(std::string_view document) const;

  Answer<Response> create(std::string document, const ItemOptions& options = {}) const;
  Answer<Response> upsert(std::string document, const ItemOptions& options = {}) const;
  // The document's own id.
  Answer<Response> replace(std::string document, const ItemOptions& options = {}) const;
  Answer<Response> patch(const PartitionKey& key, std::string_view id, std::string operations,
                         const ItemOptions& options = {}) const;
  Answer<Response> read(const PartitionKey& key, std::string_view id, const ItemOptions& options = {}) const;
  Answer<Response> remove(const PartitionKey& key, std::string_view id, const ItemOptions& options = {}) const;
  Answer<Response> execute(const PartitionKey& key, std::string_view procedure, std::string parameters = "[]") const;

 private:
  struct Known;

  Client client_;
  ContainerName name_;
  std::shared_ptr<Known> known_;
};

// The key that one value or several make: strings, numbers, booleans, nullptr.
template <typename... Values>
PartitionKey key(Values&&... values) {
  const auto component = []<typename T>(T&& value) -> PartitionKeyComponent {
    using Plain = std::decay_t<T>;
    if constexpr (std::is_same_v<Plain, bool>) {
      return value;
    } else if constexpr (std::is_same_v<Plain, std::nullptr_t>) {
      return NullKey{};
    } else if constexpr (std::is_arithmetic_v<Plain>) {
      return static_cast<double>(value);
    } else {
      return std::string(std::forward<T>(value));
    }
  };
  return {.components = {component(std::forward<Values>(values))...}};
}

}  // namespace partita::client
