#include "tools/transfer/import/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// What the importer does with answers.
namespace partita::tools::transfer {
namespace {

constexpr std::chrono::milliseconds kPauseMin{20};
constexpr std::chrono::milliseconds kPauseAfterTrouble{500};

}  // namespace

Status Importer::take_answers() {
  for (AnsweredBatch& batch : answers_->take()) {
    in_flight_ -= batch.writes.size();
    TRY(take(batch));
  }
  return {};
}

Status Importer::take(AnsweredBatch& batch) {
  if (batch.found) return settle_compared(std::move(batch.writes.front()), *batch.found);
  size_t stored = 0;
  for (size_t index = 0; index < batch.writes.size(); ++index) {
    units_ += batch.answers[index].charge;
    if (batch.answers[index].status == 201 || batch.answers[index].status == 200) ++stored;
    TRY(settle(std::move(batch.writes[index]), std::move(batch.answers[index])));
  }
  window_.note_success(stored);
  return {};
}

Status Importer::settle(PendingWrite write, WriteAnswer answer) {
  switch (judge(answer, write, options_.mode)) {
    case Judgement::kStored:
      ledger_.settle_stored(write.chunk, write.content);
      settled(write);
      return {};
    case Judgement::kReplaced:
      if (options_.mode == WriteMode::kUpsert && write.is_in_doubt) ledger_.note_doubtful(write.chunk);
      // One that this import wrote itself before it was stopped, if nobody else can have written it.
      if (options_.mode == WriteMode::kUpsert && write.is_in_doubt && checkpoint_.before && checkpoint_.before->documents == 0 &&
          recovery_.take_first(write)) {
        ledger_.settle_stored(write.chunk, write.content);
      } else {
        ledger_.settle_replaced(write.chunk);
      }
      settled(write);
      return {};
    case Judgement::kSkipped:
      ledger_.settle_skipped(write.chunk);
      settled(write);
      return {};
    case Judgement::kRefused:
      refuse(write, answer.status, std::move(answer.reason));
      settled(write);
      return {};
    case Judgement::kCompare: compare(std::move(write)); return {};
    case Judgement::kLater: return throttled(std::move(write), answer.retry_after_ms);
    case Judgement::kAlone:
      write.is_alone = true;
      try_later(std::move(write), {});
      return {};
    case Judgement::kElsewhere:
      needs_ranges_ = true;
      try_later(std::move(write), kPauseMin);
      return check_patience("partitions are being moved");
    case Judgement::kAgain:
      write.is_in_doubt = true;
      write.is_missing = false;
      try_later(std::move(write), kPauseAfterTrouble);
      return check_patience(answer.reason);
    case Judgement::kHopeless:
      return fail(ErrorCode::kForbidden, fmt::format("the server answers {}: {}", answer.status, answer.reason));
  }
  return {};
}

Status Importer::throttled(PendingWrite write, int64_t retry_after_ms) {
  ++throttles_;
  window_.note_throttle(Clock::now());
  // Whoever has less patience than the server wants is told so in time.
  try_later(std::move(write),
            std::clamp<Clock::duration>(std::chrono::milliseconds(retry_after_ms), kPauseMin, options_.patience));
  return check_patience("the server throttles");
}

Status Importer::settle_compared(PendingWrite write, const ReadAnswer& answer) {
  units_ += answer.charge;
  switch (judge(answer)) {
    case Finding::kPage: return note_page(std::move(write), answer);
    case Finding::kLater: return throttled(std::move(write), answer.retry_after_ms);
    case Finding::kElsewhere:
      needs_ranges_ = true;
      try_later(std::move(write), kPauseMin);
      return check_patience("partitions are being moved");
    case Finding::kAgain: try_later(std::move(write), kPauseAfterTrouble); return check_patience(answer.reason);
    case Finding::kHopeless: break;
  }
  return fail(ErrorCode::kForbidden, fmt::format("the server answers {}: {}", answer.status, answer.reason));
}

Status Importer::note_page(PendingWrite write, const ReadAnswer& answer) {
  write.search->equal += recovery_.count_equal(write, answer.documents);
  if (answer.continuation.empty()) {
    const uint64_t equal = write.search->equal;
    write.search.reset();
    settle_found(std::move(write), equal);
    return {};
  }
  write.search->continuation = answer.continuation;
  compare(std::move(write));
  return check_patience("a document is looked for page after page");
}

void Importer::settle_found(PendingWrite write, uint64_t equal) {
  if (recovery_.take(write, equal)) {
    ledger_.settle_stored(write.chunk, write.content);
  } else if (destination_.draws_keys() && !write.is_missing) {
    write.is_missing = true;
    return try_later(std::move(write), {});
  } else if (options_.mode == WriteMode::kSkip) {
    ledger_.settle_skipped(write.chunk);
  } else {
    refuse(write, 409, "there is another document with this id, or with values that must be unique");
  }
  settled(write);
}

void Importer::settled(const PendingWrite& write) {
  underway_.erase(write.identity());
  helped_ = Clock::now();
}

}  // namespace partita::tools::transfer
