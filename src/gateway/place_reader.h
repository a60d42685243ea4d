#pragma once

#include "base/result.h"
#include "cluster/resources.h"
#include "engine/index_reader.h"
#include "gateway/unsettled.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// PlaceView: one partition as it is at one moment, with the index that belongs to it.
struct PlaceView {
  const PartitionPlace* place;
  Slice slice;
  Partition::Index index;
  std::shared_ptr<const Snapshot> at;
  uint64_t documents;     // about how many there are
  DocumentNumber newest;  // none has a number above it
  Lsn lsn;                // nothing in the view, deletions included, is newer
  Lsn shown;              // everything that is not newer is in the view

  // Adds the partition to `unsettled` when what the view shows is not durable yet. While writes are refused it shows what became
  // durable last, because nothing newer will.
  static PlaceView of(const PartitionPlace& place, std::vector<Unsettled>& unsettled);
  // Whether what was found out in another view holds in this one, too: nothing was written between the two.
  bool shows_as_much_as(const KnownSets::Known& known) const { return known.lsn <= shown && known.shown >= lsn; }
  // The record, or nothing when its document has expired.
  std::string_view visible(std::string_view record) const;
};

// RecordLoader: single documents of a view, by their numbers, as far as they have not expired or also those.
//
// The first ones are read by way of the rows that the store has read lately; very many would drive out of there what others read
// again. Not thread-safe.
class RecordLoader {
 public:
  // Both are empty when there is none, and valid until the next call.
  Result<std::string_view> load(const PlaceView& view, DocumentNumber number);
  Result<std::string_view> load_stored(const PlaceView& view, DocumentNumber number);

 private:
  uint64_t loads_ = 0;
  std::string record_;
};

// Which documents of a place are read, in the order of their numbers.
struct DocumentChoice {
  // Either all of them, or those with one of these numbers (sorted), or those that the index has for a value.
  struct Entry {
    ValuePath path;
    std::string key_form;
  };
  std::optional<std::vector<DocumentNumber>> numbers;
  std::vector<uint64_t> stand_for = {};  // how many documents each of these stands for; empty: itself
  std::optional<Entry> entry;
};

// PlaceReader: the chosen documents of a place behind a number. Not thread-safe.
class PlaceReader {
 public:
  PlaceReader(PlaceView view, DocumentChoice choice, DocumentNumber after);

  const PlaceView& view() const { return view_; }
  bool is_at_end() const { return is_at_end_; }
  // REQUIRES: not at the end.
  DocumentNumber number() const { return number_; }
  uint64_t stands_for() const { return choice_.stand_for.empty() ? 1 : choice_.stand_for[next_number_]; }
  // The document's record; valid until the reader moves. Empty when there is no document: it has expired, or what the index says
  // is older.
  Result<std::string_view> record();
  void next();
  // To be asked at the end.
  Status status() const;

  uint64_t entries_read() const { return entries_read_; }

 private:
  void stand();
  Result<std::string_view> stored_record();
  Result<std::string_view> record_by_cursor();

  PlaceView view_;
  DocumentChoice choice_;
  std::optional<IndexCursor> entries_;
  std::optional<Cursor> items_;
  DocumentNumber items_number_;  // where items_ stands, if it is valid
  DocumentNumber loaded_;        // the last one whose record was asked for
  size_t next_number_ = 0;
  bool is_at_end_ = false;
  DocumentNumber number_;
  uint64_t entries_read_ = 0;
  RecordLoader loader_;
};

}  // namespace partita
