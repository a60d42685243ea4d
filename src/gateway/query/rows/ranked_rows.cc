#include "gateway/query/rows/ranked_rows.h"

#include "access/partition_reader.h"

#include <algorithm>
#include <utility>

namespace partita {
namespace {

QueryRequest from_beginning(QueryRequest request) {
  request.from.reset();
  return request;
}

}  // namespace

RankedRows::RankedRows(const Container& container, const query::Plan& plan, const QueryRequest& request,
                       const query::Environment& environment, std::vector<PendingDurability>& pending)
    : request_(from_beginning(request)), rest_(container, &plan, request_, environment, DocumentRows::Use::kPassing, pending) {}

Result<std::unique_ptr<QueryRows>> RankedRows::open(const Container& container, const query::Plan& plan,
                                                    const QueryRequest& request, const query::Environment& environment,
                                                    std::vector<PendingDurability>& pending) {
  const ReadScope scope = read_scope_of(container, request);
  const ReadPurpose purpose{&plan, &environment, std::nullopt};
  std::unique_ptr<RankedRows> rows;
  for (const PartitionPlace& place : container.places) {
    if (!concerns(request, place)) continue;
    TRY_ASSIGN(std::optional<RankedCursor> cursor,
               PartitionReader::open(place.partition, scope, purpose, pending).by_relevance());
    if (!cursor) return nullptr;
    if (!rows) rows.reset(new RankedRows(container, plan, request, environment, pending));
    rows->add(std::move(*cursor));
  }
  if (rows) rows->leave_ended_cursors();
  return rows;
}

void RankedRows::add(RankedCursor cursor) {
  statistics_.resize(cursor.statistics().size());
  for (size_t i = 0; i < statistics_.size(); ++i) {
    const TextStatistics& own = cursor.statistics()[i];
    TextStatistics& all = statistics_[i];
    all.texts += own.texts;
    all.words += own.words;
    all.hits.resize(own.hits.size());
    for (size_t k = 0; k < all.hits.size(); ++k) all.hits[k] += own.hits[k];
  }
  for (const std::string& path : cursor.paths()) {
    if (!paths_.contains(path)) paths_ += (paths_.empty() ? "" : ", ") + path;
  }
  entries_read_ += cursor.entries_read();
  has_hits_first_ = has_hits_first_ && cursor.has_few_hits();
  cursors_.push_back(std::move(cursor));
}

Result<Value> RankedRows::next() {
  while (has_hits_first_ && current_ < cursors_.size()) {
    RankedCursor& cursor = cursors_[current_];
    TRY_ASSIGN(const Value document, cursor.take());
    leave_ended_cursors();
    if (document.is_undefined()) continue;
    note_row(cursor.number(), cursor.document_bytes());
    is_hit_ = true;
    return document;
  }
  is_hit_ = false;
  while (true) {
    const size_t bytes_before = rest_.bytes();
    TRY_ASSIGN(const Value document, rest_.next());
    if (document.is_undefined()) {
      note_end();
      return document;
    }
    if (has_hits_first_ && is_given(DocumentNumber{rest_.number()})) continue;
    note_row(DocumentNumber{rest_.number()}, rest_.bytes() - bytes_before);
    return document;
  }
}

void RankedRows::leave_ended_cursors() {
  while (current_ < cursors_.size() && cursors_[current_].is_at_end()) ++current_;
}

bool RankedRows::is_given(DocumentNumber number) const {
  return std::ranges::any_of(cursors_, [&](const RankedCursor& cursor) { return cursor.has(number); });
}

std::string RankedRows::use_text() const {
  const std::string rest = rest_.use_text();
  const std::string hits = has_hits_first_ ? paths_ + " by hits" : paths_ + " counted";
  return rest.empty() ? hits : hits + ", then " + rest;
}

}  // namespace partita
