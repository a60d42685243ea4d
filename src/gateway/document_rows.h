#pragma once

#include "gateway/document_reader.h"
#include "gateway/queries.h"
#include "query/execute/source_cursor.h"

#include <optional>
#include <vector>

namespace partita {

// DocumentRows: a container's documents as the source of a query, from the position of the request on or all of them.
// Not thread-safe. Container, plan, request and environment outlive it.
class DocumentRows final : public query::RowSource {
 public:
  DocumentRows(const Container& container, const query::Plan& plan, const QueryRequest& request,
               const query::Environment& environment, std::vector<Unsettled>& unsettled);

  Result<Value> next() override;
  uint64_t number() const override { return number_; }
  bool is_seen() const override;

  // In which the current document was read. REQUIRES: number() is not 0.
  EffectiveKeyRange range() const { return reader_->position().range; }

  uint64_t rows() const { return rows_; }
  size_t bytes() const { return bytes_; }
  uint64_t entries_read() const { return entries_read_ + reader_->entries_read(); }
  const std::string& use_text() const { return reader_->use_text(); }

 private:
  void open(const DocumentScope& scope);
  bool start_behind_seen();

  const Container& container_;
  const QueryRequest& request_;
  std::vector<Unsettled>& unsettled_;
  ReadPurpose purpose_;
  std::optional<DocumentReader> reader_;
  std::optional<FeedPosition> seen_;
  bool is_behind_lower_ranges_ = false;
  uint64_t number_ = 0;
  uint64_t rows_ = 0;
  size_t bytes_ = 0;
  uint64_t entries_read_ = 0;  // by earlier readers
};

}  // namespace partita
