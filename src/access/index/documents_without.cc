#include "access/index/documents_without.h"

#include "access/index/predicate_names.h"
#include "base/bytes.h"
#include "base/prefix_end.h"
#include "engine/index/index_terms.h"

#include <algorithm>

namespace partita {
namespace {

// So many cursors may be open, each over the documents of a shape.
constexpr size_t kLackingShapesMax = 64;
// Looking for a shape and loading one document of it costs about as much as reading so many documents one after the other.
constexpr uint64_t kDocumentsPerShape = 16;

// Behind all entries of a shape, which end in 8 bytes.
std::string end_of_shape(std::string_view shape) { return std::string(shape) + std::string(sizeof(uint64_t) + 1, '\xFF'); }

std::string shape_bound(std::string_view shape, uint64_t number) {
  std::string bound(shape);
  append_big_endian(bound, number);
  return bound;
}

}  // namespace

DocumentsWithout::DocumentsWithout(const PartitionView& view, ValuePath path, bool is_descending,
                                   std::optional<DocumentNumber> start, const query::Environment& environment)
    : view_(view), path_(std::move(path)), is_descending_(is_descending), start_(start), time_(environment) {}

Status DocumentsWithout::begin() {
  if (are_known_to_be_none()) return {};
  TRY_ASSIGN(const bool has_shapes, find_shapes());
  if (has_shapes) {
    if (shapes_.empty()) remember_none();
    for (const std::string& shape : shapes_) open_shape(shape);
    choose_current();
    return {};
  }
  open_scan();
  return settle();
}

bool DocumentsWithout::are_known_to_be_none() const {
  const auto known = view_.partition->local().predicate_cache().find(name_of_path(view_.index.id, path_));
  return known && view_.shows_as_much_as(*known);
}

void DocumentsWithout::remember_none() const {
  const auto none = std::make_shared<const DocumentSet>();
  view_.partition->local().predicate_cache().insert(name_of_path(view_.index.id, path_), {none, none, view_.shown, view_.lsn});
}

// False when there are too many.
Result<bool> DocumentsWithout::find_shapes() {
  uint64_t shapes_left = std::max<uint64_t>(kLackingShapesMax, view_.documents / kDocumentsPerShape);
  IndexCursor cursor = IndexReader(view_.slice, view_.at).entries(shape_path(), {"", end_of_shape("")});
  std::string shape;
  for (cursor.seek_first(); cursor.valid(); cursor.seek(end_of_shape(shape))) {
    if (shapes_left-- == 0 || shapes_.size() > kLackingShapesMax) return false;
    ++entries_read_;
    if (time_.is_over()) return ReadingTime::failure();
    shape = cursor.key_form();
    TRY_ASSIGN(const bool is_lacking, lacks_value(cursor.number()));
    if (is_lacking) shapes_.push_back(shape);
  }
  TRY(cursor.status());
  return true;
}

Result<bool> DocumentsWithout::lacks_value(DocumentNumber number) {
  TRY_ASSIGN(const std::string_view record, loader_.load_stored(view_, number));
  if (record.empty()) return false;
  TRY_ASSIGN(const Value document, document_of_record(number, record));
  return value_at(document, path_.steps).is_undefined();
}

void DocumentsWithout::open_shape(const std::string& shape) {
  KeyFormRange range{shape, end_of_shape(shape)};
  if (start_ && is_descending_) range.to = shape_bound(shape, start_->value + 1);
  if (start_ && !is_descending_) range.from = shape_bound(shape, start_->value);
  cursors_.push_back(IndexReader(view_.slice, view_.at).entries(shape_path(), range));
  is_descending_ ? cursors_.back().seek_last() : cursors_.back().seek_first();
}

void DocumentsWithout::open_scan() {
  const std::string prefix = partition_prefix(view_.slice.partition());
  std::string from = prefix;
  std::string to = prefix_end(prefix);
  if (start_ && is_descending_) to = item_row_key(view_.slice.partition(), DocumentNumber{start_->value + 1});
  if (start_ && !is_descending_) from = item_row_key(view_.slice.partition(), *start_);
  scan_.emplace(view_.slice.store().cursor(Family::kItems, from, to, view_.at.get()));
  is_descending_ ? scan_->seek_last() : scan_->seek_first();
}

void DocumentsWithout::choose_current() {
  current_ = nullptr;
  for (IndexCursor& cursor : cursors_) {
    if (!cursor.valid()) continue;
    const bool is_first = current_ == nullptr || (cursor.number() < current_->number()) != is_descending_;
    if (is_first) current_ = &cursor;
  }
  if (current_ != nullptr) ++entries_read_;
}

// From wherever the scan is to a document without a value.
Status DocumentsWithout::settle() {
  for (; scan_->valid(); is_descending_ ? scan_->previous() : scan_->next()) {
    if (time_.is_over()) return ReadingTime::failure();
    TRY_ASSIGN(const Value document, document_of_record(trailing_number(scan_->key()), scan_->value()));
    if (value_at(document, path_.steps).is_undefined()) return {};
  }
  return scan_->status();
}

bool DocumentsWithout::is_at_end() const { return scan_ ? !scan_->valid() : current_ == nullptr; }

DocumentNumber DocumentsWithout::number() const { return scan_ ? trailing_number(scan_->key()) : current_->number(); }

Result<std::string_view> DocumentsWithout::record() {
  return scan_ ? view_.visible(scan_->value()) : loader_.load(view_, number());
}

Status DocumentsWithout::next() {
  if (scan_) {
    is_descending_ ? scan_->previous() : scan_->next();
    return settle();
  }
  is_descending_ ? current_->previous() : current_->next();
  TRY(current_->status());
  choose_current();
  return {};
}

}  // namespace partita
