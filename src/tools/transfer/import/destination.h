#pragma once

#include "base/result.h"
#include "client/resources/containers.h"
#include "document/key/partition_key.h"
#include "tools/transfer/progress/ledger.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace partita::tools::transfer {

enum class WriteMode { kInsert, kUpsert, kSkip, kReplace };

// What came so far of looking for a document.
struct Search {
  std::string continuation = {};  // where the next page begins
  uint64_t equal = 0;             // documents that may be the one looked for
};

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
  std::optional<Search> search = {};                 // while it is looked for
  std::chrono::steady_clock::time_point ready = {};  // not to be sent before

  // Whose writes must not overtake each other. Where the destination makes the key, documents of several keys may share it.
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

// A page of the documents that may be the one looked for.
struct ReadAnswer {
  int status = 0;  // 200, also without documents; 404: there is none; 0: nobody knows
  int sub_status = 0;
  double charge = 0;
  int64_t retry_after_ms = 0;
  std::vector<std::string> documents = {};  // JSON
  std::string continuation = {};            // empty: there is no other page
  std::string reason = {};
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
  // The next page of those with the write's id, of its key if the write knows it.
  virtual void read(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) = 0;
  // Whether it draws partition keys at random, so that writing a document twice makes two of it: one that is in doubt must be
  // looked for first.
  virtual bool draws_keys() const = 0;
  // How many writes one call may have.
  virtual size_t batch_max() const = 0;
};

}  // namespace partita::tools::transfer
