#include "tools/transfer/progress/ledger.h"

#include "base/check.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace partita::tools::transfer {

void Tally::add(const Tally& other) {
  stored.add(other.stored);
  replaced += other.replaced;
  skipped += other.skipped;
  refused += other.refused;
  doubtful += other.doubtful;
}

Ledger::Chunk Ledger::begin_document() {
  advance();
  if (chunks_.empty() || chunks_.back().is_closed) chunks_.emplace_back();
  ++chunks_.back().documents;
  ++chunks_.back().open;
  ++unsettled_;
  return first_ + chunks_.size() - 1;
}

void Ledger::close_chunk(std::string position) {
  if (chunks_.empty() || chunks_.back().is_closed) chunks_.emplace_back();
  chunks_.back().is_closed = true;
  chunks_.back().position = std::move(position);
  advance();
}

Ledger::OpenChunk& Ledger::settle(Chunk chunk) {
  CHECK(chunk >= first_ && chunk - first_ < chunks_.size());
  OpenChunk& found = chunks_[chunk - first_];
  CHECK(found.open > 0);
  --found.open;
  return found;
}

void Ledger::note_doubtful(Chunk chunk) {
  CHECK(chunk >= first_ && chunk - first_ < chunks_.size());
  ++chunks_[chunk - first_].tally.doubtful;
}

void Ledger::settle_refused(Chunk chunk, Refusal refusal) {
  OpenChunk& found = settle(chunk);
  ++found.tally.refused;
  found.refusals.push_back(std::move(refusal));
}

void Ledger::advance() {
  while (!chunks_.empty() && chunks_.front().is_closed && chunks_.front().open == 0) {
    OpenChunk& done = chunks_.front();
    position_ = std::move(done.position);
    settled_.add(done.tally);
    std::ranges::sort(done.refusals, {}, &Refusal::line);
    std::ranges::move(done.refusals, std::back_inserter(refusals_));
    unsettled_ -= done.documents;
    chunks_.pop_front();
    ++first_;
  }
}

Tally Ledger::so_far() const {
  Tally all = settled_;
  for (const OpenChunk& chunk : chunks_) all.add(chunk.tally);
  return all;
}

}  // namespace partita::tools::transfer
