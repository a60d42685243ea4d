#include "cluster/catalog/catalog.h"

#include "base/bytes.h"
#include "base/encodings.h"
#include "base/prefix_end.h"
#include "cluster/catalog/catalog_parts.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

// The catalog's databases and what all of its parts need.
namespace partita {
namespace {

constexpr uint32_t kOfferNumberMax = 0xFFFFFF;

// Four bytes in base64. Asked on every request, so that only what can be a rid is decoded.
bool is_database_rid_shaped(std::string_view text) { return text.size() == 8 && text.ends_with("=="); }

}  // namespace

std::optional<uint32_t> number_in_rid(std::string_view text, size_t prefix) {
  std::string plain(text);
  std::ranges::replace(plain, '-', '/');
  const auto bytes = from_base64(plain);
  if (!bytes || bytes->size() != prefix + sizeof(uint32_t)) return std::nullopt;
  return load_big_endian<uint32_t>(bytes->data() + prefix);
}

Status check_resource_id(std::string_view id) {
  const auto chars = static_cast<size_t>(std::ranges::count_if(id, [](char c) { return (c & 0xC0) != 0x80; }));  // UTF-8
  if (id.empty() || chars > kResourceIdCharsMax) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("An id must have 1 to {} characters; this one has {}.", kResourceIdCharsMax, chars));
  }
  if (id.find_first_of("/\\?#") != std::string_view::npos || id.back() == ' ') {
    return fail(ErrorCode::kInvalidInput, fmt::format("The id '{}' must not contain / \\ ? # nor end in a space.", id));
  }
  return {};
}

std::unexpected<Error> id_is_rid(std::string_view id) {
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("The id '{}' is not allowed: it has the form of a resource id, by which clients may mean another.", id));
}

Status check_etag(std::string_view if_match, const Revision& revision) {
  if (if_match.empty() || if_match == "*" || if_match == revision.etag) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "The resource has changed since it was read: its etag differs from the one in If-Match.");
}

Revision Catalog::new_revision() const {
  const int64_t now = clock_.unix_seconds();
  return {now, etags_.next(now)};
}

Result<uint32_t> Catalog::next_number(std::string_view counter, WriteBatch& batch) {
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

// What is the rid of a database means that one, so that no id can stand in the way of "_self" links.
Catalog::DatabaseEntry* Catalog::find_entry(std::string_view id_or_rid) {
  if (const auto in_rid = is_database_rid_shaped(id_or_rid) ? number_in_rid(id_or_rid, 0) : std::nullopt) {
    const auto by_rid = databases_.find(*in_rid);
    if (by_rid != databases_.end() && by_rid->second.database->rid() == id_or_rid) return &by_rid->second;
  }
  const auto by_id = numbers_by_id_.find(id_or_rid);
  if (by_id == numbers_by_id_.end()) return nullptr;
  const auto entry = databases_.find(by_id->second);
  return entry == databases_.end() ? nullptr : &entry->second;
}

const Catalog::DatabaseEntry* Catalog::find_entry(std::string_view id_or_rid) const {
  return const_cast<Catalog*>(this)->find_entry(id_or_rid);
}

Result<std::shared_ptr<const Database>> Catalog::database(std::string_view id_or_rid) const {
  const auto lock = reading();
  const DatabaseEntry* entry = find_entry(id_or_rid);
  if (entry == nullptr) return no_database(id_or_rid, ErrorCode::kNotFound);
  return entry->database;
}

Catalog::Databases Catalog::databases() const {
  const auto lock = reading();
  Databases all;
  for (const auto& [number, entry] : databases_) all.push_back(entry.database);
  return all;
}

Result<std::shared_ptr<const Database>> Catalog::create_database(std::string_view id, std::optional<Throughput> throughput) {
  TRY(check_resource_id(id));
  if (is_database_rid_shaped(id) && number_in_rid(id, 0)) return id_is_rid(id);
  if (throughput) TRY(check_throughput(*throughput));
  TRY_ASSIGN(const auto changes, begin_change());
  if (numbers_by_id_.contains(id)) return fail(ErrorCode::kAlreadyExists, fmt::format("The database '{}' already exists.", id));
  WriteBatch batch(store_);
  Database database{.number = 0, .id = std::string(id), .revision = new_revision()};
  TRY_ASSIGN(database.number, next_number(kDatabaseCounter, batch));
  batch.put(Family::kCatalog, database_key(database.number), encode_database(database));
  std::shared_ptr<const Offer> offer;
  if (throughput) {
    TRY_ASSIGN(const uint32_t offer_number, next_number(kOfferCounter, batch));
    offer = add_offer(offer_number, database.number, 0, *throughput, batch);
  }
  auto published = std::make_shared<const Database>(std::move(database));
  TRY(commit(batch, [this, published, offer] {
    numbers_by_id_[published->id] = published->number;
    databases_[published->number].database = published;
    if (offer) provision_database(databases_[published->number], *offer);
    publish(offer);
  }));
  return published;
}

Status Catalog::delete_database(std::string_view id_or_rid, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, begin_change());
  DatabaseEntry* entry = find_entry(id_or_rid);
  if (entry == nullptr) return no_database(id_or_rid, ErrorCode::kNotFound);
  TRY(check_etag(if_match, entry->database->revision));
  WriteBatch batch(store_);
  for (const auto& [number, container] : entry->containers) erase_container(*container, batch);
  const uint32_t database = entry->database->number;
  batch.erase(Family::kCatalog, database_key(database));
  if (const auto offer = offers_by_owner_.find({database, 0}); offer != offers_by_owner_.end()) {
    batch.erase(Family::kCatalog, offer_key(offer->second));
  }
  const std::string children = child_key_prefix(database);
  batch.erase_range(Family::kCatalog, children, prefix_end(children));
  Containers deleted;
  for (const auto& [number, container] : entry->containers) deleted.push_back(container);
  return commit_deletion(batch, deleted, [this, entry, database] {
    const auto first = offers_by_owner_.lower_bound({database, 0});
    const auto last = offers_by_owner_.upper_bound({database, UINT32_MAX});
    for (auto offer = first; offer != last; ++offer) offers_.erase(offer->second);
    offers_by_owner_.erase(first, last);
    for (const auto& [number, container] : entry->containers) scripts_.erase(number);
    children_.erase_database(database);
    numbers_by_id_.erase(numbers_by_id_.find(entry->database->id));
    databases_.erase(database);
  });
}

Result<std::unique_lock<std::mutex>> Catalog::begin_change() {
  std::unique_lock changes(changes_);
  TRY(settle());
  return changes;
}

// Whoever holds the changes has settled what was to be, so nobody has to wait for them.
std::shared_lock<std::shared_mutex> Catalog::reading() const {
  if (has_unsettled_.load(std::memory_order_acquire)) {
    if (const std::unique_lock changes(changes_, std::try_to_lock); changes) (void)settle();
  }
  return std::shared_lock(mutex_);
}

Status Catalog::settle() const {
  if (!unsettled_) return {};
  if (!store_.is_durable(unsettled_->ticket)) {
    const std::optional<std::string> reason = store_.failure();
    return fail(ErrorCode::kStorageFailure, fmt::format("writes are refused: {}", reason.value_or("the disk is recovering")));
  }
  {
    std::unique_lock lock(mutex_);
    unsettled_->publish();
  }
  const DroppedRows dropped = std::move(unsettled_->dropped);
  unsettled_.reset();
  has_unsettled_.store(false, std::memory_order_release);
  drop_rows(dropped);
  return {};
}

// The change has happened, whatever comes of this: nobody finds the rows any more.
void Catalog::drop_rows(const DroppedRows& dropped) const {
  to_drop_.add(dropped);
  if (to_drop_.is_empty()) return;
  failures_->note(background::kDropRows, "partitions and indexes that nobody names", to_drop_.drop());
}

Status Catalog::commit(WriteBatch& batch, std::function<void()> publish, const std::function<void()>& taken,
                       DroppedRows dropped) {
  TRY_ASSIGN(const CommitTicket ticket, store_.apply(batch));
  if (taken) taken();
  Status durable = store_.wait_durable(ticket);
  if (durable) {
    {
      std::unique_lock lock(mutex_);
      publish();
    }
    drop_rows(dropped);
  } else {
    unsettled_ = Unsettled{ticket, std::move(publish), std::move(dropped)};
    has_unsettled_.store(true, std::memory_order_release);
  }
  return durable;
}

Status Catalog::commit_deletion(WriteBatch& batch, const Containers& deleted, std::function<void()> publish) {
  bool is_taken = false;
  DroppedRows dropped;
  for (const std::shared_ptr<const Container>& container : deleted) {
    for (const PartitionPlace& place : container->places) {
      const Partition& partition = place.partition->local();
      dropped.add(partition.slice());
      if (const auto growth = partition.growth()) dropped.add_index(partition.slice().store(), growth->index.id);
    }
  }
  Status outcome = commit(batch, std::move(publish), [&] { is_taken = true; }, std::move(dropped));
  if (!is_taken) {
    for (const std::shared_ptr<const Container>& container : deleted) {
      for (const PartitionPlace& place : container->places) place.partition->local().reinstate();
    }
  }
  return outcome;
}

}  // namespace partita
