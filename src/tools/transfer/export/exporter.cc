#include "tools/transfer/export/exporter.h"

#include "tools/transfer/source/record_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace partita::tools::transfer {
namespace {

constexpr std::chrono::seconds kSavePause{1};
constexpr std::chrono::milliseconds kWait{100};

}  // namespace

Status Exporter::run() {
  while (true) {
    TRY_ASSIGN(const std::optional<client::FeedPage> page, feed_.next(kWait));
    if (!page) break;
    TRY(write_page(*page));
    show();
    const bool is_stopped = watch_.is_stopped();
    if (is_stopped || Clock::now() - saved_ >= kSavePause) TRY(save());
    if (is_stopped) return fail(ErrorCode::kUnavailable, "it was stopped");
  }
  // What stands behind the last document is not in a checkpoint: another run writes it again.
  TRY(save());
  scratch_.clear();
  text_.end(scratch_);
  TRY(file_.write(scratch_));
  TRY(file_.sync());
  return {};
}

Status Exporter::write_page(const client::FeedPage& page) {
  if (page.size() == 0) return {};
  if (text_.needs_columns()) {
    std::vector<Value> documents;
    for (size_t index = 0; index < page.size(); ++index) documents.push_back(page.at(index));
    TRY(text_.choose_columns(documents));
  }
  scratch_.clear();
  for (size_t index = 0; index < page.size(); ++index) {
    const Value document = page.at(index);
    TRY(text_.append(document, scratch_));
    checkpoint_.tally.stored.add(content_hash(document, {}));
  }
  checkpoint_.documents += page.size();
  return file_.write(scratch_);
}

// The file first: a checkpoint never says that more was written than was.
Status Exporter::save() {
  saved_ = Clock::now();
  if (state_ == nullptr) return {};
  checkpoint_.position = feed_.position();
  checkpoint_.columns = text_.columns();
  TRY_ASSIGN(checkpoint_.output_bytes, file_.sync());
  return state_->save(checkpoint_);
}

void Exporter::show() {
  Progress progress{.tally = checkpoint_.tally, .request_units = feed_.request_units(), .throttles = feed_.throttles()};
  if (documents_ > 0)
    progress.share = std::min(1.0, static_cast<double>(checkpoint_.documents) / static_cast<double>(documents_));
  watch_.show(progress);
}

Result<ContentSum> measure_file(const std::string& path, SourceFormat format, char delimiter) {
  TRY_ASSIGN(const std::unique_ptr<FileRecords> records,
             FileRecords::open({{.path = path, .format = format, .delimiter = delimiter}}, {.delimiter = '\0'}, {}));
  ContentSum sum;
  SourceRecord record;
  while (true) {
    record.clear();
    TRY_ASSIGN(const bool has_record, records->next(record));
    if (!has_record) return sum;
    if (!record.fault.empty())
      return fail(ErrorCode::kCorruption, fmt::format("{}: line {}: {}", path, record.line, record.fault));
    sum.add(content_hash(record.document.view(), {}));
  }
}

}  // namespace partita::tools::transfer
