#include "gateway/feeds/document_reader.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

bool is_empty(const EffectiveKeyRange& range) { return range.min >= range.max; }

EffectiveKeyRange overlap(const EffectiveKeyRange& left, const EffectiveKeyRange& right) {
  return {std::max(left.min, right.min), std::min(left.max, right.max)};
}

}  // namespace

DocumentReader::DocumentReader(const Container& container, const DocumentScope& scope, const ReadPurpose& purpose,
                               std::vector<PendingDurability>& pending)
    : container_(container), scope_(scope), purpose_(purpose), pending_(pending) {
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
  while (true) {
    if (reader_ == nullptr) {
      if (time_ && time_->is_over()) return ReadingTime::failure();
      if (stretch_ == stretches_.size()) return false;
      TRY(open_stretch());
    }
    TRY_ASSIGN(const bool has_document, reader_->next(time_ ? &*time_ : nullptr));
    if (has_document) return true;
    close_stretch();
  }
}

Status DocumentReader::open_stretch() {
  if (ahead_ != nullptr && stretch_ >= ahead_from_) reader_ = ahead_->take(stretch_ - ahead_from_);
  Status opened;
  if (reader_ == nullptr) {
    reader_ = std::make_unique<StretchReader>(stretches_[stretch_]);
    opened = reader_->open({container_, scope_.key, purpose_});
  }
  note_opened();
  return opened;
}

void DocumentReader::note_opened() {
  if (reader_->place() != nullptr) place_ = reader_->place();
  for (DocumentCursor& cursor : reader_->cursors()) {
    lsn_ = cursor.lsn();
    if (!use_text_.ends_with(cursor.use_text())) use_text_ += (use_text_.empty() ? "" : "\n") + cursor.use_text();
    if (auto filter = cursor.take_filter()) filters_.push_back(std::move(*filter));
  }
  std::ranges::move(reader_->pending(), std::back_inserter(pending_));
}

void DocumentReader::close_stretch() {
  entries_read_ += reader_->entries_read();
  reader_.reset();
  ++stretch_;
}

void DocumentReader::read_ahead(const SpareWorkers& helpers, std::optional<double> charge_max) {
  if (ahead_ == nullptr) {
    if (stretch_ + 1 >= stretches_.size()) return;
    ahead_from_ = stretch_ + 1;
    const ReadAhead::Terms terms{{container_, scope_.key, purpose_}, charge_max};
    const auto rest = stretches_.begin() + static_cast<std::ptrdiff_t>(ahead_from_);
    ahead_ = std::make_unique<ReadAhead>(helpers, terms, std::vector<Stretch>(rest, stretches_.end()));
  }
  ahead_->ask();
}

void DocumentReader::note_vain_loads(uint64_t loads) const {
  for (const PredicateFilter& filter : filters_) filter.note_vain_loads(loads / filters_.size());
}

}  // namespace partita
