#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace partita::client {

// What a container is made of.
struct ContainerDefinition {
  std::string id = {};
  PartitionKeyDefinition partition_key = {};
  std::string indexing_policy = {};      // JSON; empty for a new container: the server's default
  std::string computed_properties = {};  // a JSON array; empty: none
  std::optional<int64_t> default_ttl = {};

  // What a server told of a container that exists.
  std::string rid = {};
  std::string etag = {};
  std::string json = {};  // all of it, with what has no member here

  // As a server writes it. kInvalidInput when it cannot be read.
  static Result<ContainerDefinition> parse(std::string_view json);
  // As a server reads it, from the members above `rid`. kInvalidInput: one of them is not JSON.
  Result<std::string> to_json() const;
};

// One path makes a simple key, two or three a hierarchical one. The version is 2. kInvalidInput.
Result<PartitionKeyDefinition> partition_key_definition(std::span<const std::string> paths);

// What a container or a database may spend a second; neither: the server's default.
struct Throughput {
  std::optional<int64_t> manual = {};
  std::optional<int64_t> autoscale_max = {};
};

}  // namespace partita::client
