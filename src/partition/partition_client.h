#pragma once

#include "partition/changes/change_subscriptions.h"
#include "partition/heat/heat_history.h"
#include "partition/partition.h"
#include "partition/partition_address.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita {

// For how long readers may go on with a partition that was split or merged: longer than any request takes.
inline constexpr int64_t kReaderLeaseUs = 300'000'000;

// PartitionClient: a physical partition as catalog, gateway and protocols reach it: questions in, values and callbacks out.
//
// A concrete class, because there is one kind: the partition is in this process. A client of another node's partition will answer
// the same questions; what needs the partition itself, local() says. Thread-safe.
//
// A client is also a lease. As long as one lives, the rows of a partition that was split or merged are kept for its readers, but
// not longer than kReaderLeaseUs. After that, and when the address is of another epoch than the partition, everything here that
// reads or writes documents fails with kPartitionGone: the container's lineage leads to the partition that has them now.
class PartitionClient {
 public:
  explicit PartitionClient(std::shared_ptr<Partition> partition, Epoch epoch = kFirstEpoch)
      : address_{.id = partition->id(), .range = partition->range(), .owner = kThisNode, .epoch = epoch},
        partition_(std::move(partition)) {
    partition_->begin_lease();
  }
  ~PartitionClient() { partition_->end_lease(); }
  PartitionClient(const PartitionClient&) = delete;
  PartitionClient& operator=(const PartitionClient&) = delete;

  const PartitionAddress& address() const { return address_; }
  PartitionId id() const { return address_.id; }
  const EffectiveKeyRange& range() const { return address_.range; }

  // As Partition's.
  void transact(std::string_view logical_partition, Partition::Body body, Partition::CommitCallback callback,
                Priority priority = Priority::kHigh, Partition::Length length = Partition::Length::kShort) const;
  void hold(std::string_view logical_partition, Partition::Granted granted) const;
  // Drops versions of writes before this time (Unix seconds), oldest first, a bounded number at a time. How many it dropped.
  Result<size_t> drop_versions(int64_t before) const;

  // Single documents as they are now, unless they have expired.
  Result<std::optional<Item>> find(std::string_view item_key) const {
    Result<std::optional<Item>> item = partition_->slice().find(item_key);
    if (!is_current()) return gone();
    return item;
  }
  Result<std::optional<Item>> load(DocumentNumber number) const;
  // The first primary keys behind `after` that begin with `prefix`.
  Result<std::vector<std::string>> item_keys(std::string_view prefix, const std::string& after, size_t keys_max) const;
  // Documents behind a number as they are stored, in the order of their numbers: about as many as have so many bytes, and at
  // least one if there is one.
  Result<std::vector<Item>> items_after(DocumentNumber after, size_t bytes_about) const;
  // What is stored under one hash of the partition key.
  struct KeyValueSample {
    std::optional<Item> item;  // one of its documents; nothing when there is none any more
    uint64_t documents = 0;    // counted up to a limit
    uint64_t bytes = 0;        // of all of these, by the first few
  };
  KeyValueSample sample_of(std::string_view effective_key, uint64_t documents_max) const;
  // While writes are refused: whether it was missing when something became durable last.
  bool is_durably_missing(std::string_view item_key) const;
  // Whether what was read, or the snapshot that was taken, before this call is of the partition as its address names it.
  Status check_current() const {
    if (!is_current()) return gone();
    return {};
  }

  PartitionCounters counters() const { return partition_->counters(); }
  Result<Lsn> visible_lsn() const { return partition_->visible_lsn(); }
  uint64_t stored_bytes() const { return partition_->stored_bytes(); }
  Lsn applied_lsn() const { return partition_->applied_lsn(); }
  Lsn durable_lsn() const { return partition_->durable_lsn(); }
  bool is_durable(Lsn seen) const { return partition_->is_durable(seen); }
  void when_durable(Lsn seen, std::move_only_function<void(Status)> callback) const {
    partition_->when_durable(seen, std::move(callback));
  }
  // For partition/changes/change_subscriptions.h: to be told of what comes behind an LSN.
  ChangeSubscriptions::Awaited changes_after(Lsn after) const { return {partition_->weak_from_this(), after}; }
  // What the index has that queries read, and how much of the next one is built: 1 when none is, and only then.
  std::shared_ptr<const IndexingPolicy> index_policy() const { return partition_->index().policy; }
  double index_progress() const { return partition_->index_progress(); }

  // Its budget of request units, its own or one that it shares, and what was used of it: as Meter's. Readers ask it and tell it;
  // writers need not.
  Result<int64_t> admit(Priority priority) const { return partition_->meter().admit(priority); }
  void charge(double units) const { partition_->meter().charge(units); }
  void record(int64_t began_us, std::string_view effective_key, double units) const {
    partition_->meter().record(began_us, effective_key, units);
  }
  // A document that a request has read; some of them are kept in mind.
  void note_read(DocumentNumber number, double units) const {
    const Meter& meter = partition_->meter();
    if (meter.samples_next()) meter.note_documents(DocumentSamples::Kind::kRead, std::span(&number, 1), units);
  }
  std::vector<DocumentSamples::Request> document_samples() const { return partition_->meter().document_samples(); }
  bool samples_documents() const { return partition_->meter().samples_documents(); }
  bool has_leftover() const { return partition_->meter().has_leftover(); }
  // How long the budget needs to recover; 0 when it is not overdrawn.
  int64_t debt_us(int64_t now_us) const { return partition_->meter().budget().wait_us(now_us, Priority::kHigh); }
  double budget_rate() const { return partition_->meter().budget().rate(); }
  bool shares_budget() const { return partition_->meter().shares_budget(); }
  Heat::Report heat() const { return partition_->meter().heat(); }
  HeatTally total_use() const { return partition_->meter().total(); }
  HeatHistory use_history() const { return partition_->meter().history(); }
  double peak_units_per_second() const { return partition_->meter().peak_units_per_second(); }

  // The partition itself, for who works where it is: the catalog, which opened it and moves it, `access`, checks, tests.
  Partition& local() const { return *partition_; }

 private:
  bool is_current() const { return partition_->is_readable(address_.epoch); }
  static std::unexpected<Error> gone();

  const PartitionAddress address_;
  const std::shared_ptr<Partition> partition_;
};

using PartitionPtr = std::shared_ptr<const PartitionClient>;

}  // namespace partita
