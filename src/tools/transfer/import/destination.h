#pragma once

#include "base/result.h"
#include "client/resources/containers.h"
#include "document/key/partition_key.h"
#include "tools/transfer/progress/ledger.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace partita::tools::transfer {

enum class WriteMode { kInsert, kUpsert, kSkip, kReplace };

// A document on its way.
struct PendingWrite {
  Ledger::Chunk chunk = 0;
  std::string_view file = {};  // lives as long as the importer
  uint64_t line = 0;
  std::string id = {};
  PartitionKey key = {};
  EffectivePartitionKey hash = {};
  std::string document = {};  // JSON
  Hash128 content = {};
  bool is_in_doubt = false;                          // it may have been written before
  bool is_alone = false;                             // in a request of its own
  bool is_missing = false;                           // in doubt, looked for, and not found
  std::chrono::steady_clock::time_point ready = {};  // not to be sent before

  // Whose writes must not overtake each other.
  std::string identity() const { return key.to_json() + id; }
};

// What became of one write.
struct WriteAnswer {
  int status = 0;  // 0: nobody knows
  int sub_status = 0;
  double charge = 0;
  int64_t retry_after_ms = 0;
  std::string reason = {};
};

struct ReadAnswer {
  int status = 0;
  std::string document = {};  // JSON
};

// Destination: a container that is written to. Calls back on any thread, exactly once.
class Destination {
 public:
  virtual ~Destination() = default;

  // The partitions as they are now. Waits for the answer.
  virtual Result<std::vector<client::PartitionRange>> ranges() = 0;
  // All of the writes are for this partition. One answer for each, in their order.
  virtual void write(const std::string& range_id, std::span<const PendingWrite> writes,
                     std::move_only_function<void(std::vector<WriteAnswer>)> callback) = 0;
  virtual void read(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) = 0;
  // Whether it makes partition keys itself, so that writing a document twice may make two of it: one that is in doubt must be
  // looked for first.
  virtual bool makes_keys() const = 0;
  // How many writes one call may have.
  virtual size_t batch_max() const = 0;
};

}  // namespace partita::tools::transfer
