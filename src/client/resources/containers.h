#pragma once

#include "client/client.h"
#include "client/resources/container_definition.h"
#include "document/key/partition_key.h"

#include <string>
#include <string_view>
#include <vector>

// Databases, containers, their partitions and their throughput. All of these wait for the answer.
namespace partita::client {

Answer<Response> create_database(const Client& client, std::string_view id, const Throughput& throughput = {});
Answer<Response> read_database(const Client& client, std::string_view id);
Answer<Response> delete_database(const Client& client, std::string_view id);
Answer<std::vector<std::string>> list_databases(const Client& client);  // their ids

Answer<ContainerDefinition> create_container(const Client& client, std::string_view database,
                                             const ContainerDefinition& definition, const Throughput& throughput = {});
Answer<ContainerDefinition> read_container(const Client& client, const ContainerName& name);
// `json` is the whole definition, best that which read_container() gave, changed.
Answer<ContainerDefinition> replace_container(const Client& client, const ContainerName& name, std::string json);
Answer<Response> delete_container(const Client& client, const ContainerName& name);
Answer<std::vector<ContainerDefinition>> list_containers(const Client& client, std::string_view database);

// A physical partition: the hashes that it has, as raw bytes.
struct PartitionRange {
  std::string id = {};
  EffectiveKeyRange hashes = {};
  std::vector<std::string> parents = {};  // that are no more
};
// In the order of their hashes, without gap or overlap. kUnavailable while the server tells of ranges that do not fit together.
Answer<std::vector<PartitionRange>> read_partition_ranges(const Client& client, const ContainerName& name);

struct Offer {
  std::string id = {};
  Throughput throughput = {};
  std::string json = {};  // all that the server told
};
// kNotFound: the container has no throughput of its own.
Answer<Offer> read_offer(const Client& client, const ContainerDefinition& container);
Answer<Offer> replace_offer(const Client& client, const Offer& offer, const Throughput& throughput);

}  // namespace partita::client
