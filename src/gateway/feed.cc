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

// Fills one page, stretch by stretch.
class PageReader {
 public:
  PageReader(const Container& container, const FeedRequest& request, std::vector<Unsettled>& unsettled)
      : container_(container), request_(request), unsettled_(unsettled) {}

  Result<FeedPage> run() {
    for (const Stretch& stretch : stretches()) {
      TRY_ASSIGN(const bool is_page_full, read_stretch(stretch));
      if (is_page_full) break;
    }
    page_.charge = feed_charge(page_.items.size(), bytes_);
    return std::move(page_);
  }

 private:
  // What is still to be read, in the order of hashes: documents in `range` behind `after`. That of a position covers several
  // places when a partition was split since; they are read together in the order of document numbers, so that one number still
  // says how far it is.
  struct Stretch {
    EffectiveKeyRange range;
    DocumentNumber after;
  };

  // One place's part of a stretch.
  struct Source {
    const PartitionPlace* place;
    Slice slice;
    std::shared_ptr<const Snapshot> at;
    Cursor cursor;

    DocumentNumber number() const { return trailing_number(cursor.key()); }
  };

  std::vector<Stretch> stretches() const {
    std::vector<Stretch> all;
    EffectiveKeyRange rest = request_.range;
    if (request_.from) {
      all.push_back({overlap(rest, request_.from->range), request_.from->after});
      rest.min = std::max(rest.min, request_.from->range.max);
    }
    for (const PartitionPlace& place : container_.places) all.push_back({overlap(rest, place.range()), {}});
    std::erase_if(all, [](const Stretch& stretch) { return is_empty(stretch.range); });
    return all;
  }

  static bool is_empty(const EffectiveKeyRange& range) { return range.min >= range.max; }
  static EffectiveKeyRange overlap(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
    return {std::max(left.min, right.min), std::min(left.max, right.max)};
  }

  Result<bool> read_stretch(const Stretch& stretch) {
    const std::string term = index_range();
    std::vector<Source> sources;
    for (const PartitionPlace& place : container_.places) {
      if (!is_empty(overlap(place.range(), stretch.range))) sources.push_back(open(place, term, stretch.after));
    }
    last_ = stretch.after;
    Source* source = next_of(sources);
    for (; source != nullptr && !is_page_full() && scanned_ < kFeedPageScanMax; source = next_of(sources)) {
      ++scanned_;
      last_ = source->number();
      TRY_ASSIGN(std::optional<Item> item, item_at(source->slice, source->cursor, last_, !term.empty(), source->at.get()));
      const bool is_whole_place = overlap(source->place->range(), stretch.range) == source->place->range();
      if (item && is_wanted(*item, is_whole_place ? nullptr : &stretch.range)) take(std::move(*item), stretch.range);
      source->cursor.next();
    }
    for (const Source& read : sources) TRY(read.cursor.status());
    if (source != nullptr) page_.next = FeedPosition{stretch.range, last_};
    return source != nullptr;
  }

  Source open(const PartitionPlace& place, const std::string& term, DocumentNumber after) {
    Slice slice = place.partition->slice();
    std::shared_ptr<const Snapshot> at = slice.store().snapshot();
    // A new indexing policy erases the old generation of the index; the snapshot must have the one that is read.
    while (slice.index() != place.partition->index().id) {
      slice = place.partition->slice();
      at = slice.store().snapshot();
    }
    // Everything in the snapshot, deletions included, has at most this LSN. Not applied_lsn(): a write is visible a moment
    // earlier.
    page_.place = &place;
    page_.lsn = place.partition->counters().lsn;
    if (!place.partition->is_durable(page_.lsn)) unsettled_.push_back({place.partition, page_.lsn});
    Cursor cursor = term.empty() ? slice.items_after(after, at.get()) : index_cursor(slice, term, after, at.get());
    cursor.seek_first();
    return {&place, slice, std::move(at), std::move(cursor)};
  }

  // The source with the least document number, which no two share; null at the end of all.
  static Source* next_of(std::vector<Source>& sources) {
    Source* least = nullptr;
    for (Source& source : sources) {
      if (source.cursor.valid() && (least == nullptr || source.number() < least->number())) least = &source;
    }
    return least;
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

  static Result<std::optional<Item>> item_at(const Slice& slice, const Cursor& cursor, DocumentNumber number, bool is_index,
                                             const Snapshot* at) {
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
  next.partition->when_durable(next.seen,
                               [unsettled = std::move(unsettled), callback = std::move(callback)](Status durable) mutable {
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
  when_all_durable(std::move(unsettled),
                   [container, page = std::move(page), callback = std::move(callback)](Status durable) mutable {
                     if (!durable) return callback(std::unexpected(std::move(durable).error()));
                     callback(std::move(page));
                   });
}

}  // namespace partita
