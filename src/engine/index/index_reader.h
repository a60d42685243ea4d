#pragma once

#include "document/key/key_form.h"
#include "document/value_path.h"
#include "engine/slice.h"

#include <memory>
#include <string>
#include <string_view>

namespace partita {

// IndexCursor: entries of one path of a partition's index, in the order of values and then of document numbers.
//
// Not thread-safe. Stays within the range it was made for. After !valid(), status() tells whether that was the end.
class IndexCursor {
 public:
  // To the first entry of a value at or behind this key form.
  void seek(std::string_view key_form);
  // To the first entry at or behind this one.
  void seek(std::string_view key_form, DocumentNumber number);
  void seek_first() { cursor_.seek_first(); }
  void seek_last() { cursor_.seek_last(); }
  bool valid() const { return cursor_.valid(); }
  void next() { cursor_.next(); }
  void previous() { cursor_.previous(); }
  Status status() const { return cursor_.status(); }

  // The value in key form; valid until the cursor moves.
  std::string_view key_form() const;
  DocumentNumber number() const { return trailing_number(cursor_.key()); }
  // What the entry has besides; valid until the cursor moves.
  std::string_view payload() const { return cursor_.value(); }

 private:
  friend class IndexReader;
  IndexCursor(std::string prefix, Cursor cursor) : prefix_(std::move(prefix)), cursor_(std::move(cursor)) {}

  std::string prefix_;  // of all entries of the path
  std::string key_;     // where to seek; kept for its memory
  Cursor cursor_;
};

// IndexReader: the index of one partition as of a snapshot. Thread-safe.
class IndexReader {
 public:
  // The snapshot must have the slice's generation of the index.
  IndexReader(const Slice& slice, std::shared_ptr<const Snapshot> at) : slice_(slice), at_(std::move(at)) {}

  // Stands nowhere until it is told to seek. What it reads stays as it is as long as this reader lives.
  IndexCursor entries(const ValuePath& path, const KeyFormRange& range) const;
  // All of them.
  IndexCursor entries(const ValuePath& path) const;
  // About how many of them a range has, without reading any: by the bytes that they take.
  struct Guess {
    double share;      // of all entries of the path, 0 to 1; quite right
    uint64_t entries;  // if they take as many bytes as those of other paths do; often wrong, equal values take few
  };
  Guess guess(const ValuePath& path, const KeyFormRange& range) const;

 private:
  Slice slice_;
  std::shared_ptr<const Snapshot> at_;
};

}  // namespace partita
