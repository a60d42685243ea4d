#include "gateway/document_reader.h"

#include <algorithm>

namespace partita {
namespace {

bool is_empty(const EffectiveKeyRange& range) { return range.min >= range.max; }

EffectiveKeyRange overlap(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
  return {std::max(left.min, right.min), std::min(left.max, right.max)};
}

bool has_prefix(const PartitionKey& key, const PartitionKey& prefix) {
  return key.components.size() >= prefix.components.size() &&
         std::equal(prefix.components.begin(), prefix.components.end(), key.components.begin());
}

// Whether the document has a key that begins so. Strings, as most keys are, are compared where they are.
bool has_key(const Value& document, const PartitionKeyDefinition& definition, const PartitionKey& prefix) {
  const std::string* text = prefix.components.size() == 1 ? std::get_if<std::string>(&prefix.components[0]) : nullptr;
  if (text != nullptr && !definition.paths.empty()) {
    const Value value = definition.paths[0].resolve(document);
    return value.is_string() && value.string() == *text;
  }
  return has_prefix(PartitionKey::of(document, definition), prefix);
}

}  // namespace

bool is_in_scope(const Value& document, const PartitionKeyDefinition& definition, const std::optional<PartitionKey>& wanted,
                 const EffectiveKeyRange* range) {
  if (!wanted && range == nullptr) return true;
  if (wanted && !has_key(document, definition, *wanted)) return false;
  return range == nullptr || range->contains(effective_partition_key(PartitionKey::of(document, definition), definition));
}

DocumentReader::DocumentReader(const Container& container, const DocumentScope& scope, const ReadPurpose& purpose,
                               std::vector<Unsettled>& unsettled)
    : container_(container), scope_(scope), purpose_(purpose), unsettled_(unsettled) {
  if (purpose_.environment != nullptr) time_.emplace(*purpose_.environment);
  EffectiveKeyRange rest = scope_.range;
  if (scope_.from) {
    stretches_.push_back({overlap(rest, scope_.from->range), scope_.from->after});
    rest.min = std::max(rest.min, scope_.from->range.max);
  }
  for (const PartitionPlace& place : container_.places) stretches_.push_back({overlap(rest, place.range()), {}});
  std::erase_if(stretches_, [](const Stretch& stretch) { return is_empty(stretch.range); });
}

Result<bool> DocumentReader::next() {
  if (current_ != nullptr) current_->reader.next();
  while (true) {
    if (time_ && time_->is_over()) return ReadingTime::failure();
    if (!is_open_) {
      TRY_ASSIGN(const bool has_stretch, open_stretch());
      if (!has_stretch) return false;
    }
    find_least();
    if (current_ == nullptr) {
      TRY(close_stretch());
      continue;
    }
    TRY_ASSIGN(record_, current_->reader.record());
    if (!record_.empty()) {
      TRY_ASSIGN(document_, document_of_record(number(), record_));
      return true;
    }
    current_->reader.next();
  }
}

Result<bool> DocumentReader::open_stretch() {
  if (stretch_ == stretches_.size()) return false;
  const Stretch& stretch = stretches_[stretch_];
  for (const PartitionPlace& place : container_.places) {
    if (!is_empty(overlap(place.range(), stretch.range))) TRY(open(place, stretch));
  }
  is_open_ = true;
  return true;
}

Status DocumentReader::open(const PartitionPlace& place, const Stretch& stretch) {
  PlaceView view = PlaceView::of(place, unsettled_);
  place_ = &place;
  lsn_ = view.lsn;
  const bool is_whole = overlap(place.range(), stretch.range) == place.range();
  ReadPurpose purpose = purpose_;
  purpose.is_whole = is_whole && stretch.after.value == 0;
  TRY_ASSIGN(IndexUse use, choose_documents(view, container_.definition.partition_key, scope_.key, purpose));
  entries_read_ += use.entries_read;
  if (use.filter) filters_.push_back(std::move(*use.filter));
  if (!use_text_.ends_with(use.text)) use_text_ += (use_text_.empty() ? "" : "\n") + use.text;
  parts_.emplace_back(PlaceReader(std::move(view), std::move(use.choice), stretch.after),
                      is_whole || has_all_of_key(stretch.range));
  return {};
}

Status DocumentReader::close_stretch() {
  for (const Part& part : parts_) {
    TRY(part.reader.status());
    entries_read_ += part.reader.entries_read();
  }
  parts_.clear();
  is_open_ = false;
  ++stretch_;
  return {};
}

// No two places have documents with one number.
void DocumentReader::find_least() {
  current_ = nullptr;
  for (Part& part : parts_) {
    if (!part.reader.is_at_end() && (current_ == nullptr || part.reader.number() < number())) current_ = &part;
  }
}

// The documents of a whole key have one hash.
bool DocumentReader::has_all_of_key(const EffectiveKeyRange& range) const {
  const PartitionKeyDefinition& definition = container_.definition.partition_key;
  const bool is_whole_key = scope_.key && scope_.key->components.size() == definition.paths.size();
  return is_whole_key && range.contains(effective_partition_key(*scope_.key, definition));
}

bool DocumentReader::is_wanted() const {
  return is_in_scope(document_, container_.definition.partition_key, scope_.key,
                     current_->has_all ? nullptr : &stretches_[stretch_].range);
}

void DocumentReader::note_vain_loads(uint64_t loads) const {
  for (const DemandFilter& filter : filters_) filter.note_vain_loads(loads / filters_.size());
}

uint64_t DocumentReader::entries_read() const {
  uint64_t entries = entries_read_;
  for (const Part& part : parts_) entries += part.reader.entries_read();
  return entries;
}

}  // namespace partita
