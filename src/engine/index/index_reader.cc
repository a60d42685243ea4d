#include "engine/index/index_reader.h"

#include "base/bytes.h"
#include "base/prefix_end.h"
#include "engine/index/index_terms.h"

#include <algorithm>
#include <array>
#include <vector>

namespace partita {

void IndexCursor::seek(std::string_view key_form) {
  key_.assign(prefix_).append(key_form);
  cursor_.seek(key_);
}

void IndexCursor::seek(std::string_view key_form, DocumentNumber number) {
  key_.assign(prefix_).append(key_form);
  append_big_endian(key_, number.value);
  cursor_.seek(key_);
}

std::string_view IndexCursor::key_form() const {
  const std::string_view key = cursor_.key();
  return key.substr(prefix_.size(), key.size() - prefix_.size() - sizeof(DocumentNumber));
}

IndexCursor IndexReader::entries(const ValuePath& path, const KeyFormRange& range) const {
  std::string prefix = index_prefix(slice_.index());
  append_big_endian(prefix, PathHash::of(path).value());
  Cursor cursor = slice_.store().cursor(Family::kIndex, prefix + range.from, prefix + range.to, at_.get());
  return {std::move(prefix), std::move(cursor)};
}

IndexCursor IndexReader::entries(const ValuePath& path) const {
  std::string prefix = index_prefix(slice_.index());
  append_big_endian(prefix, PathHash::of(path).value());
  Cursor cursor = slice_.store().cursor(Family::kIndex, prefix, prefix_end(prefix), at_.get());
  return {std::move(prefix), std::move(cursor)};
}

IndexReader::Guess IndexReader::guess(const ValuePath& path, const KeyFormRange& range) const {
  std::string prefix = index_prefix(slice_.index());
  append_big_endian(prefix, PathHash::of(path).value());
  const std::array<KeyRange, 2> ranges = {KeyRange{prefix + range.from, prefix + range.to}, KeyRange{prefix, prefix_end(prefix)}};
  const std::vector<uint64_t> rows = slice_.store().approximate_rows(Family::kIndex, ranges);
  return {static_cast<double>(rows[0]) / static_cast<double>(std::max<uint64_t>(rows[1], 1)), rows[0]};
}

}  // namespace partita
