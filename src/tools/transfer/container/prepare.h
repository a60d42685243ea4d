#pragma once

#include "client/client.h"
#include "client/request.h"
#include "client/resources/containers.h"
#include "tools/transfer/content/content.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Containers that documents are read from or written to.
namespace partita::tools::transfer {

struct ContainerWish {
  std::vector<std::string> partition_key = {};  // paths; empty: the container must be there
  std::vector<std::string> computed = {};       // NAME=QUERY
  std::string indexing_policy = {};             // JSON, or empty
  std::optional<int64_t> throughput = {};
  bool may_draw_keys = true;  // partition keys may be random
};

// Who says which partition key a document has.
enum class KeyOrigin {
  kDocument,
  kComputed,  // the server, from other properties: only it knows where a document belongs
  kDrawn,     // the server, partly at random: the same document belongs elsewhere when it is written again
};

struct PreparedContainer {
  client::ContainerDefinition definition = {};
  bool is_new = false;
  std::vector<std::string> computed = {};  // names of its computed properties
  double throughput = 0;                   // request units a second; 0: it has none of its own

  KeyOrigin keys = KeyOrigin::kDocument;
};

// Makes what is missing of the database and the container. kInvalidInput when the container is there and has another partition
// key, and when its keys are random and may not be.
Result<PreparedContainer> prepare_container(const client::Client& client, const client::ContainerName& name,
                                            const ContainerWish& wish);
// kNotFound, or what a server says of it.
Result<PreparedContainer> find_container(const client::Client& client, const client::ContainerName& name);
Status set_throughput(const client::Client& client, const client::ContainerName& name, int64_t throughput);

enum class Verify { kNone, kCount, kFull };

// How many documents a container has, and with kFull also their sum. `ignored` are properties that do not count.
Result<ContentSum> measure_container(const client::Client& client, const client::ContainerName& name, Verify verify,
                                     const std::vector<std::string>& ignored, std::chrono::seconds patience);

}  // namespace partita::tools::transfer
