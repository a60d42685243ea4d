#include "access/partition_view.h"

#include "engine/rows.h"

#include <optional>
#include <utility>

namespace partita {
namespace {

// So many rows a query may leave behind in the store's memory of rows.
constexpr uint64_t kRememberedLoads = 4096;

// Nothing while writes work, or when the store did not become durable with the index that is read.
std::optional<PartitionView> durable_view(const PartitionPtr& client) {
  const Partition& partition = client->local();
  const Slice now = partition.slice();
  std::optional<Partition::Index> index = partition.durable_index();
  std::shared_ptr<const Snapshot> at = now.store().durable_snapshot();
  if (!at || !index || index->id != partition.index().id) return std::nullopt;
  const Result<PartitionCounters> counters = now.counters(at.get());
  if (!counters) return std::nullopt;
  const Slice slice(now.store(), partition.id(), index->id, now.visibility());
  return PartitionView{.partition = client,
                       .slice = slice,
                       .index = *std::move(index),
                       .at = std::move(at),
                       .documents = counters->documents,
                       .newest = counters->newest,
                       .lsn = counters->lsn,
                       .shown = counters->lsn};
}

}  // namespace

PartitionView PartitionView::of(const PartitionPtr& client, std::vector<PendingDurability>& pending) {
  const Partition& partition = client->local();
  Store& store = partition.slice().store();
  if (store.failure()) {
    if (std::optional<PartitionView> durable = durable_view(client)) return *std::move(durable);
  }
  Partition::Index index = partition.index();
  const Lsn shown = partition.applied_lsn();
  std::shared_ptr<const Snapshot> at = store.snapshot();
  // A new indexing policy erases the old generation of the index; the snapshot must have the one that is read.
  while (index.id != partition.index().id) {
    index = partition.index();
    at = store.snapshot();
  }
  // Everything in the snapshot, deletions included, has at most this LSN. Not applied_lsn(): a write is visible a moment earlier.
  const PartitionCounters counters = partition.counters();
  if (!partition.is_durable(counters.lsn)) pending.push_back({client, counters.lsn});
  const Slice slice(store, partition.id(), index.id, partition.slice().visibility());
  return {client, slice, std::move(index), std::move(at), counters.documents, counters.newest, counters.lsn, shown};
}

std::string_view PartitionView::visible(std::string_view record) const {
  if (!slice.visibility().time_to_live.is_on() || record.size() <= kItemHeaderBytes) return record;
  return slice.is_visible(Value::view(record.substr(kItemHeaderBytes))) ? record : std::string_view();
}

Result<std::string_view> RecordLoader::load_stored(const PartitionView& view, DocumentNumber number) {
  bool is_known = false;
  if (loads_++ < kRememberedLoads) {
    TRY_ASSIGN(is_known, view.slice.load_record(number, record_, *view.at, view.shown));
  } else {
    TRY_ASSIGN(is_known, view.slice.load_record(number, record_, view.at.get()));
  }
  return is_known ? std::string_view(record_) : std::string_view();
}

Result<std::string_view> RecordLoader::load(const PartitionView& view, DocumentNumber number) {
  TRY_ASSIGN(const std::string_view stored, load_stored(view, number));
  return view.visible(stored);
}

}  // namespace partita
