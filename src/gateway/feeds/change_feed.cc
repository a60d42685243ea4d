#include "gateway/feeds/change_feed.h"

#include "access/partition_changes.h"
#include "gateway/feeds/feed.h"

#include <algorithm>

namespace partita {
namespace {

// Changes that are read between two looks whether others wait.
constexpr size_t kChangesPerTurn = 32;

bool has_prefix(const PartitionKey& key, const PartitionKey& prefix) {
  return std::ranges::mismatch(prefix.components, key.components).in1 == prefix.components.end();
}

std::vector<const PartitionPlace*> places_in(const Container& container, const EffectiveKeyRange& range) {
  std::vector<const PartitionPlace*> places;
  for (const PartitionPlace& place : container.places) {
    if (place.range().min < range.max && range.min < place.range().max) places.push_back(&place);
  }
  return places;
}

class ChangeReader {
 public:
  ChangeReader(const Container& container, const ChangeFeedRequest& request, RequestCharge& request_charge,
               std::vector<PendingDurability>& pending)
      : container_(container), request_(request), request_charge_(request_charge), pending_(pending) {}

  Result<ChangePage> run() {
    if (wants_all()) TRY(check_all_versions());
    // Every place in scope is noted below, so nothing of partitions that are gone is kept.
    if (request_.from) page_.next.everywhere = request_.from->everywhere;
    const std::vector<const PartitionPlace*> places = places_in(container_, request_.range);
    page_.is_of_one_place = places.size() <= 1;
    if (places.empty()) page_.place = &container_.places.front();
    for (const PartitionPlace* place : places) TRY(read_place(*place));
    page_.bytes = bytes_;
    return std::move(page_);
  }

 private:
  bool wants_all() const { return request_.mode == ChangeFeedMode::kAllVersions; }

  Status check_all_versions() const {
    if (!container_.definition.rules->versions.is_on()) {
      return fail(
          ErrorCode::kInvalidInput,
          "All Versions and Deletes change feed must be enabled: the container's changeFeedPolicy has no retentionDuration.");
    }
    if (!request_.from && !request_.starts_now) return not_retained();
    return {};
  }

  static std::unexpected<Error> not_retained() {
    return fail(
        ErrorCode::kInvalidInput,
        "All versions and deletes start now or at a continuation. You must read the change feed from within the retention "
        "period.");
  }

  Status read_place(const PartitionPlace& place) {
    TRY_ASSIGN(const PartitionChanges changes, PartitionChanges::open(place.partition, pending_));
    page_.place = &place;
    page_.lsn = changes.end();
    is_whole_place_ = request_.range.min <= place.range().min && place.range().max <= request_.range.max;
    TRY_ASSIGN(const Lsn start, start_of(place, changes));
    WorkDone& work = request_charge_.work_in(*place.partition);
    work.pages = 1;
    TRY_ASSIGN(const Lsn reached, read_changes_of(changes, start, work));
    page_.next.note(place, reached);
    return {};
  }

  Result<Lsn> start_of(const PartitionPlace& place, const PartitionChanges& changes) const {
    if (request_.from) {
      const Lsn start = request_.from->of(place);
      if (!wants_all()) return start;
      TRY_ASSIGN(const Lsn kept_after, changes.versions_after());
      if (start < kept_after) return not_retained();
      return start;
    }
    if (request_.starts_now) return changes.end();
    if (!request_.since_seconds) return Lsn{0};
    return changes.before(*request_.since_seconds);
  }

  // How far it got.
  Result<Lsn> read_changes_of(const PartitionChanges& changes, Lsn start, WorkDone& work) {
    ChangeCursor cursor = wants_all() ? changes.all(start) : changes.latest(start);
    Lsn reached = start;
    while (true) {
      TRY_ASSIGN(const std::optional<Lsn> lsn, cursor.next());
      if (!lsn) return std::max(start, changes.end());
      if (*lsn != reached && is_full()) {
        page_.has_more = true;
        return reached;
      }
      reached = *lsn;
      if (scanned_ % kChangesPerTurn == 0) TRY(let_others_work(request_.turn));
      ++scanned_;
      TRY(wants_all() ? read_version(cursor, work) : read_item(cursor, work));
    }
  }

  Status read_item(const ChangeCursor& cursor, WorkDone& work) {
    TRY_ASSIGN(std::optional<Item> item, cursor.item());
    work.add_loaded(item ? item->record.size() : 0);
    scanned_bytes_ += item ? item->record.size() : 0;
    if (!item || !is_wanted(item->document(), item->view().written_seconds())) return {};
    bytes_ += item->record.size();
    page_.items.push_back(*std::move(item));
    return {};
  }

  Status read_version(const ChangeCursor& cursor, WorkDone& work) {
    TRY_ASSIGN(ItemVersion version, cursor.version());
    work.add_loaded(version.record.size());
    scanned_bytes_ += version.record.size();
    if (!is_wanted(version.document(), version.seconds())) return {};
    ChangeVersion change{std::move(version), std::nullopt};
    if (container_.definition.rules->versions.gives_previous) {
      TRY_ASSIGN(change.previous, cursor.previous_of(change.version));
    }
    bytes_ += change.version.record.size() + (change.previous ? change.previous->record.size() : 0);
    page_.versions.push_back(std::move(change));
    return {};
  }

  bool is_full() const {
    return page_.size() >= request_.items_max || bytes_ >= kChangePageBytesMax || scanned_ >= kChangePageScanMax ||
           scanned_bytes_ >= kChangePageScanBytesMax;
  }

  bool is_wanted(const Value& document, int64_t written_seconds) const {
    if (request_.since_seconds && written_seconds < *request_.since_seconds) return false;
    const PartitionKeyDefinition& definition = container_.definition.partition_key;
    if (!request_.key && is_whole_place_) return true;
    const PartitionKey key = PartitionKey::of(document, definition);
    if (request_.key && !has_prefix(key, *request_.key)) return false;
    return request_.range.contains(effective_partition_key(key, definition));
  }

  const Container& container_;
  const ChangeFeedRequest& request_;
  RequestCharge& request_charge_;
  std::vector<PendingDurability>& pending_;
  ChangePage page_;
  bool is_whole_place_ = false;  // the request leaves nothing of the place out
  size_t bytes_ = 0;
  size_t scanned_ = 0;
  size_t scanned_bytes_ = 0;
};

}  // namespace

Lsn ChangePosition::of(const PartitionPlace& place) const {
  const auto noted = [&](std::string_view range_id) {
    return std::ranges::find(by_range, range_id, [](const auto& entry) { return std::string_view(entry.first); });
  };
  if (const auto own = noted(place.range_id); own != by_range.end()) return own->second;
  // Of partitions that were merged, what one has given already may be new from another.
  std::optional<Lsn> least;
  for (const std::string& range_id : place.parents) {
    if (const auto parent = noted(range_id); parent != by_range.end())
      least = std::min(least.value_or(parent->second), parent->second);
  }
  return least.value_or(everywhere);
}

void ChangePosition::note(const PartitionPlace& place, Lsn lsn) {
  for (auto& [range_id, noted] : by_range) {
    if (range_id != place.range_id) continue;
    noted = lsn;
    return;
  }
  by_range.emplace_back(place.range_id, lsn);
}

void read_changes(const std::shared_ptr<const Container>& container, const ChangeFeedRequest& request,
                  std::move_only_function<void(Result<ChangePage>)> callback) {
  Result<RequestCharge> request_charge = RequestCharge::open(*container, request.range, request.terms);
  if (!request_charge) return callback(std::unexpected(std::move(request_charge).error()));
  std::vector<PendingDurability> pending;
  Result<ChangePage> page = ChangeReader(*container, request, *request_charge, pending).run();
  if (!page) return callback(std::move(page));
  page->charge = request_charge->settle();
  when_all_durable(std::move(pending),
                   [container, page = std::move(page), callback = std::move(callback)](Status durable) mutable {
                     if (!durable) return callback(std::unexpected(std::move(durable).error()));
                     callback(std::move(page));
                   });
}

std::vector<ChangeSubscriptions::Awaited> changes_behind(const Container& container, const EffectiveKeyRange& range,
                                                         const ChangePosition& position) {
  std::vector<ChangeSubscriptions::Awaited> awaited;
  for (const PartitionPlace* place : places_in(container, range)) {
    awaited.push_back(place->partition->changes_after(position.of(*place)));
  }
  return awaited;
}

}  // namespace partita
