#pragma once

#include "tools/transfer/import/answer_queue.h"
#include "tools/transfer/import/destination.h"
#include "tools/transfer/import/judgement.h"
#include "tools/transfer/import/recovery.h"
#include "tools/transfer/import/write_queues.h"
#include "tools/transfer/progress/in_flight_window.h"
#include "tools/transfer/progress/state_file.h"
#include "tools/transfer/progress/transfer_watch.h"
#include "tools/transfer/sink/output_file.h"
#include "tools/transfer/source/record_source.h"

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

namespace partita::tools::transfer {

struct ImportOptions {
  WriteMode mode = WriteMode::kInsert;
  PartitionKeyDefinition partition_key = {};
  std::vector<std::string> computed = {};  // properties that the destination computes: they say nothing about the content
  size_t window_first = 2'000;             // documents in flight
  size_t window_max = 20'000;
  uint64_t refusals_max = 100;
  std::chrono::seconds patience{120};  // without any answer that helps
};

// Importer: writes the documents of a source to a destination.
//
// Used by one thread; the destination's answers come through a queue. Memory is bounded by the window. When it ends, for whatever
// reason, the checkpoint says where another run goes on: documents that were sent but not noted there are in doubt, and one that
// is found in the destination is taken for done when it is equal.
class Importer {
 public:
  // `state` and `errors` may be null: nothing is kept, nothing is noted. All of these outlive the importer. `checkpoint` is where
  // an earlier run stopped, or how this one begins.
  Importer(RecordSource& source, Destination& destination, StateFile* state, OutputFile* errors, TransferWatch& watch,
           const ImportOptions& options, Checkpoint checkpoint);

  // Until the source is at its end and every document settled. An error says why it stopped before.
  Status run();

  // As of the end of run().
  const Checkpoint& checkpoint() const { return checkpoint_; }
  Tally tally() const { return ledger_.so_far(); }
  double request_units() const { return units_; }
  uint64_t throttles() const { return throttles_; }

 private:
  using Clock = std::chrono::steady_clock;

  Status step();
  Status finish(const Status& ended);
  // Reads one document, unless the window is full or the source at its end; whether it did.
  Result<bool> read_one();
  bool may_read() const;
  Status prepare(const SourceRecord& record, Ledger::Chunk chunk, PendingWrite& write);
  void close_chunk_if_due();
  void queue(PendingWrite write);
  // To the queues, or to be looked for before.
  void write_or_find(PendingWrite write);
  void refuse(const PendingWrite& write, int status, std::string reason);

  Status send_batches(bool any_will_do);
  void send(WriteQueues::Batch batch);
  void compare(PendingWrite write);
  Status take_answers();
  Status take(AnsweredBatch& batch);
  Status settle(PendingWrite write, WriteAnswer answer);
  Status settle_compared(PendingWrite write, const ReadAnswer& answer);
  Status note_page(PendingWrite write, const ReadAnswer& answer);
  void settle_found(PendingWrite write, uint64_t equal);
  Status throttled(PendingWrite write, int64_t retry_after_ms);
  void settled(const PendingWrite& write);
  void try_later(PendingWrite write, Clock::duration wait);
  void queue_retries();
  Status refresh_ranges();
  Status check_patience(const std::string& reason);

  Status claim();
  Status save_if_due();
  Status save();
  void show();
  void wait_for_answers();

  RecordSource& source_;
  Destination& destination_;
  StateFile* state_;
  OutputFile* errors_;
  TransferWatch& watch_;
  ImportOptions options_;

  Checkpoint checkpoint_;
  Ledger ledger_;
  InFlightWindow window_;
  WriteQueues queues_;
  std::shared_ptr<AnswerQueue> answers_ = std::make_shared<AnswerQueue>();  // callbacks may outlive the importer
  std::deque<PendingWrite> retries_;
  std::unordered_set<std::string> underway_;  // identities of all writes that are not settled
  Recovery recovery_;
  std::optional<PendingWrite> held_;          // has the identity of one underway
  std::set<std::string, std::less<>> names_;  // of files; their texts stay where they are
  SourceRecord record_;
  uint64_t documents_;  // read
  uint64_t doubtful_;   // documents that may have been sent before
  bool is_at_end_ = false;
  bool needs_ranges_ = true;
  size_t in_flight_ = 0;
  double units_ = 0;
  uint64_t throttles_ = 0;
  Clock::time_point helped_ = Clock::now();  // when an answer settled something
  Clock::time_point saved_ = Clock::now();
  std::string last_trouble_;
};

}  // namespace partita::tools::transfer
