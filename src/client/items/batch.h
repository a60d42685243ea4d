#pragma once

#include "base/result.h"
#include "client/request.h"
#include "client/response.h"
#include "document/key/partition_key.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Many operations in one request.
namespace partita::client {

inline constexpr size_t kBatchOperationsMax = 100;

struct BatchOperation {
  enum class Kind { kCreate, kUpsert, kReplace, kRead, kDelete, kPatch };
  Kind kind = Kind::kCreate;
  std::string id = {};        // of kReplace, kRead, kDelete, kPatch
  std::string document = {};  // JSON: the document, or the operations of a patch
  std::string if_match = {};
  PartitionKey key = {};  // of bulk_items()
};

// All or none of them, in order, in one logical partition.
Request batch_items(const ContainerName& name, const PartitionKey& key, std::span<const BatchOperation> operations);
// Each for itself, with a partition key of its own. All of them are in the partition with this id; 410 when it is no more.
Request bulk_items(const ContainerName& name, std::string range_id, std::span<const BatchOperation> operations);

struct BatchResult {
  int status = 0;
  int sub_status = 0;
  double charge = 0;
  std::string etag = {};
  std::string document = {};  // JSON, or what the server says of an error; empty where there is none
  int64_t retry_after_ms = 0;

  bool is_success() const { return status >= 200 && status < 300; }
};
// Of an answer with status 200 or 207: one for each operation, in their order. kInternal when it cannot be read.
Result<std::vector<BatchResult>> batch_results(const Response& response);

}  // namespace partita::client
