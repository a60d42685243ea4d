#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "cluster/background_failures.h"
#include "cluster/database_child.h"
#include "cluster/records/dropped_rows.h"
#include "cluster/records/records.h"
#include "cluster/resources.h"
#include "cluster/script_resource.h"
#include "engine/item/etag.h"
#include "storage/store.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// Limits of the service, with its errors.
inline constexpr size_t kResourceIdCharsMax = 255;
inline constexpr int64_t kThroughputPerPartition = 10'000;
inline constexpr int64_t kThroughputMin = 400;
inline constexpr int64_t kThroughputStep = 100;
inline constexpr int64_t kAutoscaleMin = 1'000;
inline constexpr int64_t kAutoscaleStep = 1'000;
inline constexpr int64_t kThroughputMax = 1'000'000;

// How many physical partitions a container needs for its throughput.
size_t partitions_for(const Throughput& throughput, int64_t per_partition = kThroughputPerPartition);

// A script as it was written, and whether it is new.
struct ScriptWritten {
  ScriptPtr script;
  bool was_created = false;
};

// Whether provisioned throughput is more than a number, and for how much of it a new container gets a partition.
struct RateLimits {
  bool is_enforced = false;
  bool allows_bursts = false;
  int64_t new_partition_throughput = kThroughputPerPartition;  // manual; with autoscale it is always the most that there is
};

// Catalog: which databases, containers and offers exist, and where each container's partitions are.
//
// Thread-safe: readers share a lock and get immutable resources that stay usable after they were replaced or deleted. Changes
// come one after the other; each is durable before it is visible, and readers never wait for the disk. A change that was answered
// with kStorageFailure is not visible, unless it becomes durable later: when a full disk got space again, or at the next start.
// Errors: kNotFound, kOwnerNotFound (the database is missing), kAlreadyExists, kInvalidInput, kPreconditionFailed,
// kStorageFailure.
class Catalog {
 public:
  using Databases = std::vector<std::shared_ptr<const Database>>;
  using Containers = std::vector<std::shared_ptr<const Container>>;

  static Result<std::unique_ptr<Catalog>> open(Store& store, const Clock& clock, EtagSource& etags, RateLimits limits = {});

  // As of its store: what reads and writes documents may have to wait for somebody's long write.
  bool is_slow() const { return store_.is_slow(); }

  // By rid, else by id; the same for containers. No new id has the form of a rid.
  Result<std::shared_ptr<const Database>> database(std::string_view id_or_rid) const;
  Databases databases() const;
  Result<std::shared_ptr<const Database>> create_database(std::string_view id, std::optional<Throughput> throughput);
  Status delete_database(std::string_view id_or_rid, std::string_view if_match = {});

  Result<std::shared_ptr<const Container>> container(std::string_view database, std::string_view id_or_rid) const;
  Result<Containers> containers(std::string_view database) const;
  // Without throughput of its own a container shares its database's, or gets the least there is.
  Result<std::shared_ptr<const Container>> create_container(std::string_view database, ContainerDefinition definition,
                                                            std::optional<Throughput> throughput);
  // The id and the partition key cannot change. Another indexing policy is in the definition at once, and its indexes begin to
  // grow; cluster/index/index_builder.h builds them.
  Result<std::shared_ptr<const Container>> replace_container(std::string_view database, std::string_view id_or_rid,
                                                             ContainerDefinition definition, std::string_view if_match = {});
  // What is told when indexes begin to grow; nobody any more with an empty function.
  void when_indexes_grow(std::function<void()> listener);
  // Lets the growing index of a partition, which is filled, be the one that is read. Nothing happens if it does not grow (any
  // more).
  Status finish_index(const Container& container, PartitionId partition, IndexId growing);
  Status delete_container(std::string_view database, std::string_view id_or_rid, std::string_view if_match = {});

  std::vector<std::shared_ptr<const Offer>> offers() const;
  Result<std::shared_ptr<const Offer>> offer(std::string_view rid) const;
  // The offer of a container, or of a database with container 0; null when it has none of its own.
  std::shared_ptr<const Offer> offer_of(uint32_t database, uint32_t container) const;
  Result<std::shared_ptr<const Offer>> replace_offer(std::string_view rid, const Throughput& throughput,
                                                     std::string_view if_match = {});
  // What an offer is about: a container with throughput of its own, or all of a database that share one.
  Containers containers_of(const Offer& offer) const;
  // Everybody's budget begins anew: debts and savings are forgotten.
  void reset_budgets();

  // What fails of the work on its containers that nobody waits for. Shared with callbacks that may run when the catalog is gone.
  const std::shared_ptr<BackgroundFailures>& failures() const { return failures_; }

  // Writes down how much every partition was used in the past, where that has changed, so that the next start knows it. Not
  // synced: a crash forgets what happened since the last time that was.
  Status keep_heat();

  // Changes of a container's map; cluster/reshape/reshaper.h carries them out, one after the other.
  //
  // Gives the planned children, of which only the ranges are known, their numbers and ids, and makes the plan durable.
  Result<Reshape> begin_reshape(Reshape plan);
  // Makes durable how far it has come.
  Status note_reshape(const Reshape& reshape);
  // Keeps the parents' writers out and opens the children.
  using Fence = std::function<Result<std::vector<std::shared_ptr<Partition>>>()>;
  // Replaces the parents by the children in the map, and tells late writers of the parents to look there. Others change the
  // catalog while `fence` runs, all but the container's indexes; whether it can be published is asked again after it.
  Result<std::shared_ptr<const Container>> publish_reshape(const Reshape& reshape, const Fence& fence);
  // Drops rows that no map names, and the journal.
  Status end_reshape(const Reshape& reshape, const std::vector<Slice>& dropped);
  // Those that are under way, or were when the server was killed.
  std::vector<Reshape> reshapes() const;

  // Deletions of whole logical partitions that take several transactions; gateway/items/erase_key.h carries them out. A journal
  // that is left behind, by a crash or a failure, is taken up again by whoever asks for one.
  //
  // Durable when it returns, and being carried out by the caller.
  Result<Erasure> begin_erasure(const Container& container, const PartitionKey& key, Lsn newest);
  Status end_erasure(const Erasure& erasure);
  // For later: it could not be carried out now.
  void leave_erasure(const Erasure& erasure);
  // One that nobody carries out and that has not failed a short time ago, from now on the caller does.
  std::optional<Erasure> take_erasure();
  // The container as it is now; null when it is gone.
  std::shared_ptr<const Container> container_of(const Erasure& erasure) const;

  Result<ScriptPtr> script(const Container& container, ScriptType type, const ResourceName& name) const;
  // In the order of creation.
  std::vector<ScriptPtr> scripts(const Container& container, ScriptType type) const;
  Result<ScriptWritten> write_script(const Container& container, ScriptType type, ScriptDefinition definition, bool may_exist);
  // The id may change, if the new one is free.
  Result<ScriptPtr> replace_script(const Container& container, ScriptType type, const ResourceName& name,
                                   ScriptDefinition definition, std::string_view if_match = {});
  Status delete_script(const Container& container, ScriptType type, const ResourceName& name, std::string_view if_match = {});

  // Users, permissions and client encryption keys; kOwnerNotFound when what they belong to is gone. Null when there is none.
  ChildPtr child(uint32_t number) const;
  Result<ChildPtr> child(const ChildPlace& place, const ResourceName& name) const;
  // In the order of creation.
  std::vector<ChildPtr> children(const ChildPlace& place) const;
  Result<ChildWritten> write_child(const ChildPlace& place, ChildDefinition definition, bool may_exist);
  // The id may change, if the new one is free.
  Result<ChildPtr> replace_child(const ChildPlace& place, const ResourceName& name, ChildDefinition definition,
                                 std::string_view if_match = {});
  // A user goes with its permissions.
  Status delete_child(const ChildPlace& place, const ResourceName& name, std::string_view if_match = {});

 private:
  struct DatabaseEntry {
    std::shared_ptr<const Database> database;
    std::map<uint32_t, std::shared_ptr<const Container>> containers;
    std::map<std::string, uint32_t, std::less<>> numbers_by_id;
    std::shared_ptr<RequestBudget> shared_budget;  // null when the database has no throughput of its own
  };

  Catalog(Store& store, const Clock& clock, EtagSource& etags, RateLimits limits)
      : store_(store), clock_(clock), etags_(etags), limits_(limits), failures_(std::make_shared<BackgroundFailures>(clock)) {}

  Status load();
  Status load_counters();
  Status load_scripts();
  Status load_children();
  Status load_erasures();
  Status load_heat(Partition& partition) const;
  Status load_rows(char kind, const std::function<Status(std::string_view)>& row);
  Result<std::shared_ptr<Container>> open_container(std::shared_ptr<const Database> database, ContainerDefinition definition,
                                                    uint32_t number, Revision revision, std::vector<PartitionPlace> places) const;
  // For whoever changes something, until the end of that: all others wait. kStorageFailure while an earlier change is unsettled.
  Result<std::unique_lock<std::mutex>> begin_change();
  // For readers.
  std::shared_lock<std::shared_mutex> reading() const;
  Revision new_revision() const;
  Result<uint32_t> next_number(std::string_view counter, WriteBatch& batch);
  std::shared_ptr<const Offer> add_offer(uint32_t number, uint32_t database, uint32_t container, const Throughput& throughput,
                                         WriteBatch& batch) const;
  Result<std::vector<PartitionPlace>> make_places(const ContainerDefinition& definition, size_t count, WriteBatch& batch);
  // Makes the batch durable, then `publish` makes it visible. When the sync fails, the store has the batch all the same, and
  // nobody knows whether a restart would find it: it is published when it has become durable after all, by the next who reads or
  // changes something, and until then all other changes are refused. So `publish` owns what it needs. `taken` is called once the
  // store has the batch, whatever becomes of the sync. What nobody names any more is dropped when it was published.
  // REQUIRES: changes_ is held.
  Status commit(WriteBatch& batch, std::function<void()> publish, const std::function<void()>& taken = {},
                DroppedRows dropped = {});
  Status commit_deletion(WriteBatch& batch, const Containers& deleted, std::function<void()> publish);
  void drop_rows(const DroppedRows& dropped) const;
  // Publishes what has become durable late; kStorageFailure when there is something that has not. REQUIRES: changes_ is held.
  Status settle() const;
  Result<std::shared_ptr<Partition>> open_partition(PlaceRecord& place, const ContainerDefinition& definition);
  Result<std::vector<Partition::Index>> name_new_indexes(const Container& container);
  Status sweep_orphans();
  Status load_reshapes();
  void set_mode(const Reshape& reshape, ContainerMode mode);
  void erase_container(const Container& container, WriteBatch& batch) const;
  // Gives every partition of the container its budget: together with the map or the offer that it follows from, when that is
  // published, so that a change that fails leaves everybody's as it was.
  void provision(DatabaseEntry& entry, const Container& container, const Offer* own_offer) const;
  void provision_database(DatabaseEntry& entry, const Offer& offer) const;
  void publish(DatabaseEntry& entry, std::shared_ptr<const Container> container);
  void publish(const std::shared_ptr<const Offer>& offer);

  // REQUIRES, here and below: changes_ is held. The container may have been deleted since the caller got it.
  Status check_is_current(const Container& container) const;
  Status check_is_current(const ChildPlace& place) const;
  ScriptPtr find_script(uint32_t container, ScriptType type, const ResourceName& name) const;
  Result<ScriptPtr> put_script(std::shared_ptr<ScriptResource> script, const ScriptPtr& before);
  Result<ChildPtr> put_child(const ChildPlace& place, ChildDefinition definition, const ChildPtr& before);

  // The container that a reshape is about, if it still has the parents.
  struct Reshaped {
    DatabaseEntry& entry;
    std::shared_ptr<const Container> container;
    size_t position;  // of the first parent in its map
  };
  Result<Reshaped> find_reshaped(const Reshape& reshape);
  Result<std::shared_ptr<const Container>> publish_children(const Reshape& reshape,
                                                            const std::vector<std::shared_ptr<Partition>>& children);
  std::shared_ptr<Container> with_children(const Reshaped& before, const Reshape& reshape,
                                           const std::vector<std::shared_ptr<Partition>>& children) const;
  void put_heat(const Reshaped& before, const Reshape& reshape, const std::vector<std::shared_ptr<Partition>>& children,
                WriteBatch& batch) const;
  // While the container's writers may be kept out for another map. kUnavailable when that takes long.
  Status wait_for_fence(std::unique_lock<std::mutex>& changes, std::string_view database, std::string_view id_or_rid);

  const DatabaseEntry* find_entry(std::string_view id_or_rid) const;
  DatabaseEntry* find_entry(std::string_view id_or_rid);
  static std::shared_ptr<const Container> find_container(const DatabaseEntry& entry, std::string_view id_or_rid);

  Store& store_;
  const Clock& clock_;
  EtagSource& etags_;
  const RateLimits limits_;
  const std::shared_ptr<BackgroundFailures> failures_;
  std::function<void()> indexes_grow_;  // guarded by changes_
  mutable std::mutex changes_;          // held by whoever changes anything; only its holder may change what `mutex_` guards
  // A change that the store has, but not the disk.
  struct Unsettled {
    CommitTicket ticket;
    std::function<void()> publish;
    DroppedRows dropped;
  };
  mutable std::optional<Unsettled> unsettled_;       // guarded by changes_
  mutable std::atomic<bool> has_unsettled_ = false;  // the same, for readers
  mutable DroppedRows to_drop_;                      // guarded by changes_: what could not be dropped yet
  std::set<std::pair<uint32_t, uint32_t>> fenced_;  // guarded by changes_: databases and containers whose writers may be kept out
  std::condition_variable fence_ended_;             // with changes_
  mutable std::shared_mutex mutex_;
  std::map<uint32_t, DatabaseEntry> databases_;
  std::map<std::string, uint32_t, std::less<>> numbers_by_id_;
  std::map<uint32_t, std::shared_ptr<const Offer>> offers_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> offers_by_owner_;
  std::map<std::pair<uint32_t, uint32_t>, Reshape> reshapes_;
  std::map<uint32_t, ScriptShelf> scripts_;  // by container
  ChildShelf children_;
  struct PendingErasure {
    Erasure erasure;
    bool is_taken = false;
  };
  std::map<uint32_t, PendingErasure> erasures_;
  std::map<std::string, uint32_t, std::less<>> counters_;  // guarded by changes_
  std::map<PartitionId, HeatTally> heat_kept_;             // guarded by changes_: the totals at the last keep_heat()
};

// Whether a condition on a resource's version holds; kPreconditionFailed if not.
Status check_etag(std::string_view if_match, const Revision& revision);

// Database, container and script ids: 1 to 255 characters, none of / \ ? #, no space at the end.
Status check_resource_id(std::string_view id);
Status check_throughput(const Throughput& throughput);

}  // namespace partita
