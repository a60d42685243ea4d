#include "cluster/catalog/catalog_changes.h"

#include "base/bytes.h"
#include "base/prefix_end.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

namespace partita {
namespace {

// An offer's number has three bytes in its resource id.
constexpr uint32_t kOfferNumberMax = 0xFFFFFF;

}  // namespace

Result<CatalogChanges::Lock> CatalogChanges::begin() const {
  Lock changes(changing_);
  TRY(settle());
  return changes;
}

// Whoever holds the changes has settled what was to be, so nobody has to wait for them.
std::shared_lock<std::shared_mutex> CatalogChanges::reading() const {
  if (has_pending_.load(std::memory_order_acquire)) {
    if (const Lock changes(changing_, std::try_to_lock); changes) (void)settle();
  }
  return std::shared_lock(visible_);
}

Status CatalogChanges::settle() const {
  if (!pending_) return {};
  if (!store_.is_durable(pending_->ticket)) {
    const std::optional<std::string> reason = store_.failure();
    return fail(ErrorCode::kStorageFailure, fmt::format("writes are refused: {}", reason.value_or("the disk is recovering")));
  }
  publish(pending_->publish);
  const DroppedRows dropped = std::move(pending_->dropped);
  pending_.reset();
  has_pending_.store(false, std::memory_order_release);
  drop_rows(dropped);
  return {};
}

void CatalogChanges::publish(const std::function<void()>& change) const {
  std::unique_lock lock(visible_);
  change();
  version_.fetch_add(1, std::memory_order_release);
}

// The change has happened, whatever comes of this: nobody finds the rows any more.
void CatalogChanges::drop_rows(const DroppedRows& dropped) const {
  to_drop_.add(dropped);
  if (to_drop_.is_empty()) return;
  failures_->note(background::kDropRows, "partitions and indexes that nobody names", to_drop_.drop());
}

Status CatalogChanges::commit(WriteBatch& batch, std::function<void()> publish, const std::function<void()>& taken,
                              DroppedRows dropped) {
  TRY_ASSIGN(const CommitTicket ticket, store_.apply(batch));
  if (taken) taken();
  Status durable = store_.wait_durable(ticket);
  if (durable) {
    this->publish(publish);
    drop_rows(dropped);
  } else {
    pending_ = Pending{ticket, std::move(publish), std::move(dropped)};
    has_pending_.store(true, std::memory_order_release);
  }
  return durable;
}

Result<uint32_t> CatalogChanges::next_number(std::string_view counter, WriteBatch& batch) {
  uint32_t& newest = counters_[std::string(counter)];
  if (newest == (counter == kOfferCounter ? kOfferNumberMax : UINT32_MAX >> 1)) {
    return fail(ErrorCode::kUnavailable, fmt::format("This store has used up its {} numbers.", counter));
  }
  const uint32_t number = ++newest;  // a gap after a failed write does no harm
  std::string bytes;
  append_little_endian(bytes, static_cast<uint64_t>(number));
  batch.put(Family::kCatalog, counter_key(counter), bytes);
  return number;
}

Revision CatalogChanges::new_revision() const {
  const int64_t now = clock_.unix_seconds();
  return {now, etags_.next(now)};
}

Status CatalogChanges::load_counters() {
  const std::string prefix = counter_key("");
  Cursor cursor = store_.cursor(Family::kCatalog, prefix, prefix_end(prefix));
  for (cursor.seek_first(); cursor.valid(); cursor.next()) {
    const std::string_view name = cursor.key().substr(prefix.size());
    if (cursor.value().size() != sizeof(uint64_t))
      return fail(ErrorCode::kCorruption, fmt::format("the counter '{}' cannot be decoded", name));
    counters_[std::string(name)] = static_cast<uint32_t>(load_little_endian<uint64_t>(cursor.value().data()));
  }
  return cursor.status();
}

Status CatalogChanges::for_each_record(char kind, const std::function<Status(std::string_view)>& record) const {
  const std::string prefix(1, kind);
  Cursor cursor = store_.cursor(Family::kCatalog, prefix, prefix_end(prefix));
  for (cursor.seek_first(); cursor.valid(); cursor.next()) TRY(record(cursor.value()));
  return cursor.status();
}

}  // namespace partita
