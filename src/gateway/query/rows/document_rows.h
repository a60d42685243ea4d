#pragma once

#include "gateway/feeds/document_reader.h"
#include "gateway/query/rows/query_rows.h"

#include <optional>
#include <vector>

namespace partita {

// DocumentRows: documents in the order of their numbers, from the position of the request on or all of them.
class DocumentRows final : public QueryRows {
 public:
  enum class Use : uint8_t {
    kPlan,     // only documents that the plan needs; one may stand for others
    kEach,     // every document that may pass the filter
    kPassing,  // the same, of a plan that would see the others too if it did not know what they contribute
  };
  // Without plan, all documents.
  DocumentRows(const Container& container, const query::Plan* plan, const QueryRequest& request,
               const query::Environment& environment, Use use, std::vector<PendingDurability>& pending);

  Result<Value> next() override;
  const query::PreparedRow* prepared() const override { return reader_->prepared(); }
  bool is_seen() const override;
  uint64_t stands_for() const override { return reader_->stands_for(); }
  Result<std::optional<uint64_t>> count_passing() override;
  Result<std::optional<std::vector<double>>> aggregates() override;
  void note_page(uint64_t results) override;
  // Documents up to this number are left out, or are seen, because of the position.
  DocumentNumber begins_after() const { return begins_after_; }
  DocumentNumber seen_up_to() const { return seen_ ? seen_->after : DocumentNumber{}; }
  EffectiveKeyRange range() const override { return reader_->position().range; }
  uint64_t entries_read() const override { return entries_read_ + reader_->entries_read(); }
  std::string use_text() const override { return counted_text_.empty() ? reader_->use_text() : counted_text_; }

 private:
  void open(const DocumentScope& scope);
  void consider_reading_ahead();
  bool start_behind_seen();

  const Container& container_;
  const QueryRequest& request_;
  std::vector<PendingDurability>& pending_;
  ReadPurpose purpose_;
  std::optional<DocumentReader> reader_;
  DocumentNumber begins_after_;
  std::optional<FeedPosition> seen_;
  bool is_behind_lower_ranges_ = false;
  const SpareWorkers* helpers_ = nullptr;  // that may read ahead; null: nobody
  int64_t ask_helpers_at_us_ = 0;
  uint64_t steps_ = 0;  // calls of next()
  const PartitionPlace* last_place_ = nullptr;
  uint64_t entries_read_ = 0;  // by earlier readers, or to count
  std::string counted_text_;   // how the documents were counted instead of read
};

}  // namespace partita
