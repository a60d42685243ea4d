#include "gateway/feed.h"

#include "base/bytes.h"
#include "document/key_form.h"
#include "engine/index_terms.h"
#include "partition/request_units.h"

#include <algorithm>

namespace partita {
namespace {

bool has_prefix(const PartitionKey& key, const PartitionKey& prefix) {
  return key.components.size() >= prefix.components.size() &&
         std::equal(prefix.components.begin(), prefix.components.end(), key.components.begin());
}

void append_component(std::string& out, const PartitionKeyComponent& component) {
  if (std::holds_alternative<NullKey>(component)) return append_key_form_null(out);
  if (const bool* boolean = std::get_if<bool>(&component)) return append_key_form_bool(out, *boolean);
  if (const double* number = std::get_if<double>(&component)) return append_key_form_number(out, *number);
  append_key_form_string(out, std::get<std::string>(component));
}

// Fills one page, range by range.
class PageReader {
 public:
  PageReader(const Container& container, const FeedRequest& request, std::vector<Unsettled>& unsettled)
      : container_(container), request_(request), unsettled_(unsettled) {}

  Result<FeedPage> run() {
    for (const PartitionPlace& place : container_.places) {
      TRY_ASSIGN(const bool is_page_full, read_place(place));
      if (is_page_full) break;
    }
    page_.charge = feed_charge(page_.items.size(), bytes_);
    return std::move(page_);
  }

 private:
  // What is still to be read of a place: hashes in `range`, documents behind `after`.
  struct Stretch {
    EffectiveKeyRange range;
    DocumentNumber after;
  };

  std::vector<Stretch> stretches_of(const PartitionPlace& place) const {
    const EffectiveKeyRange wanted = overlap(place.range(), request_.range);
    if (!request_.from) return {{wanted, {}}};
    const FeedPosition& from = *request_.from;
    return {{overlap(wanted, from.range), from.after}, {overlap(wanted, {from.range.max, kEffectiveKeyMax}), {}}};
  }

  static EffectiveKeyRange overlap(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
    return {std::max(left.min, right.min), std::min(left.max, right.max)};
  }

  Result<bool> read_place(const PartitionPlace& place) {
    for (const Stretch& stretch : stretches_of(place)) {
      if (stretch.range.min >= stretch.range.max) continue;
      page_.place = &place;
      page_.lsn = place.partition->applied_lsn();
      const size_t items_before = page_.items.size();
      TRY_ASSIGN(const bool is_page_full, read_stretch(place, stretch));
      note_unsettled(place, items_before);
      if (is_page_full) return true;
    }
    return false;
  }

  Result<bool> read_stretch(const PartitionPlace& place, const Stretch& stretch) {
    const bool is_whole_place = stretch.range == place.range();
    last_ = stretch.after;
    const Slice slice = place.partition->slice();
    const std::shared_ptr<const Snapshot> at = slice.store().snapshot();
    const std::string prefix = index_range();
    Cursor cursor = prefix.empty() ? slice.items_after(stretch.after, at.get()) : index_cursor(slice, prefix, stretch.after, at.get());
    for (cursor.seek_first(); cursor.valid(); cursor.next()) {
      const DocumentNumber number = trailing_number(cursor.key());
      if (is_page_full() || scanned_ == kFeedPageScanMax) {
        page_.next = FeedPosition{stretch.range, last_};
        return true;
      }
      ++scanned_;
      last_ = number;
      TRY_ASSIGN(std::optional<Item> item, item_at(slice, cursor, number, !prefix.empty(), at.get()));
      if (item && is_wanted(*item, is_whole_place ? nullptr : &stretch.range)) take(std::move(*item), stretch.range);
    }
    TRY(cursor.status());
    return false;
  }

  void note_unsettled(const PartitionPlace& place, size_t first_item) {
    Lsn seen;
    for (size_t i = first_item; i < page_.items.size(); ++i) seen = std::max(seen, page_.items[i].lsn());
    if (!place.partition->is_durable(seen)) unsettled_.push_back({place.partition, seen});
  }

  // The term that all documents of the wanted logical partition share in the index; empty to read all documents instead.
  std::string index_range() const {
    std::string term;
    if (!request_.key) return term;
    const std::vector<PartitionKeyComponent>& components = request_.key->components;
    for (size_t i = std::min(components.size(), container_.definition.partition_key.paths.size()); i-- > 0;) {
      if (std::holds_alternative<UndefinedKey>(components[i])) continue;
      PathHash path;
      for (const std::string& segment : container_.definition.partition_key.paths[i].segments) path = path.property(segment);
      append_big_endian(term, path.value());
      append_component(term, components[i]);
      return term;
    }
    return term;
  }

  static Cursor index_cursor(const Slice& slice, const std::string& term, DocumentNumber after, const Snapshot* at) {
    std::string from;
    assign_index_key(from, slice.index(), term, DocumentNumber{after.value + 1});
    return slice.store().cursor(Family::kIndex, from, prefix_end(index_prefix(slice.index()) + term), at);
  }

  static Result<std::optional<Item>> item_at(const Slice& slice, const Cursor& cursor, DocumentNumber number, bool is_index, const Snapshot* at) {
    if (is_index) return slice.load(number, at);
    TRY_ASSIGN(Item item, item_from_record(number, std::string(cursor.value())));
    return item;
  }

  bool is_wanted(const Item& item, const EffectiveKeyRange* range) const {
    if (!request_.key && range == nullptr) return true;
    const PartitionKey key = PartitionKey::of(item.document(), container_.definition.partition_key);
    if (request_.key && !has_prefix(key, *request_.key)) return false;
    return range == nullptr || range->contains(effective_partition_key(key, container_.definition.partition_key));
  }

  bool is_page_full() const { return page_.items.size() >= request_.items_max || bytes_ >= kFeedPageBytesMax; }

  void take(Item item, const EffectiveKeyRange& range) {
    bytes_ += item.record.size();
    page_.item_ranges.push_back(range);
    page_.items.push_back(std::move(item));
  }

  const Container& container_;
  const FeedRequest& request_;
  FeedPage page_;
  std::vector<Unsettled>& unsettled_;
  DocumentNumber last_;  // read so far within the current stretch
  size_t bytes_ = 0;
  size_t scanned_ = 0;
};

}  // namespace

void when_all_durable(std::vector<Unsettled> unsettled, std::move_only_function<void(Status)> callback) {
  if (unsettled.empty()) return callback({});
  const Unsettled next = unsettled.back();
  unsettled.pop_back();
  next.partition->when_durable(next.seen, [unsettled = std::move(unsettled), callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::move(durable));
    when_all_durable(std::move(unsettled), std::move(callback));
  });
}

Result<FeedPage> read_feed_page(const Container& container, const FeedRequest& request, std::vector<Unsettled>& unsettled) {
  return PageReader(container, request, unsettled).run();
}

void read_feed(const std::shared_ptr<const Container>& container, const FeedRequest& request,
               std::move_only_function<void(Result<FeedPage>)> callback) {
  std::vector<Unsettled> unsettled;
  Result<FeedPage> page = read_feed_page(*container, request, unsettled);
  if (!page) return callback(std::move(page));
  when_all_durable(std::move(unsettled), [container, page = std::move(page), callback = std::move(callback)](Status durable) mutable {
    if (!durable) return callback(std::unexpected(std::move(durable).error()));
    callback(std::move(page));
  });
}

}  // namespace partita
