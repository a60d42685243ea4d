#include "tools/transfer/import/importer.h"

#include "document/json/json.h"
#include "tools/transfer/import/refusal_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace partita::tools::transfer {
namespace {

// A checkpoint is written for so many documents at once, so that those who were sent can be told from those who were not.
constexpr uint64_t kClaimedAhead = 50'000;
constexpr size_t kChunkDocuments = 500;
constexpr size_t kDocumentsPerStep = 100;
constexpr std::chrono::milliseconds kSavePause{500};
constexpr std::chrono::milliseconds kLongestWait{100};

}  // namespace

Importer::Importer(RecordSource& source, Destination& destination, StateFile* state, OutputFile* errors, TransferWatch& watch,
                   const ImportOptions& options, Checkpoint checkpoint)
    : source_(source),
      destination_(destination),
      state_(state),
      errors_(errors),
      watch_(watch),
      options_(options),
      checkpoint_(std::move(checkpoint)),
      ledger_(checkpoint_.position, checkpoint_.tally),
      window_(options.window_first, options.window_max),
      queues_(destination.batch_max()),
      recovery_(options_.partition_key, options_.computed),
      documents_(checkpoint_.documents),
      doubtful_(checkpoint_.claimed) {}

Status Importer::run() {
  Status ended;
  while (ended) {
    ended = step();
    if (ended && is_at_end_ && ledger_.unsettled() == 0) break;
    if (ended && watch_.is_stopped()) ended = fail(ErrorCode::kUnavailable, "it was stopped");
  }
  return finish(ended);
}

Status Importer::step() {
  TRY(take_answers());
  if (needs_ranges_) TRY(refresh_ranges());
  queue_retries();
  bool has_read = true;
  for (size_t count = 0; has_read && count < kDocumentsPerStep; ++count) {
    TRY_ASSIGN(has_read, read_one());
  }
  // Partitions whose batches are not full wait for more documents while enough others are in flight.
  TRY(send_batches(!has_read && (is_at_end_ || 2 * in_flight_ < window_.size())));
  TRY(save_if_due());
  show();
  if (!has_read) wait_for_answers();
  ledger_.advance();
  return {};
}

// What is in flight still gets a moment, so that less is in doubt.
Status Importer::finish(const Status& ended) {
  const Clock::time_point last = Clock::now() + kSavePause;
  while (!ended && in_flight_ > 0 && Clock::now() < last) {
    wait_for_answers();
    if (!take_answers()) break;
  }
  ledger_.advance();
  const Status saved = save();
  return ended ? saved : ended;
}

bool Importer::may_read() const {
  if (is_at_end_ || held_ || needs_ranges_ || underway_.size() >= window_.size()) return false;
  // The chunk that is open ends by reading only: its documents do not count, however few may be in flight.
  return ledger_.unsettled() - ledger_.open_documents() < 2 * options_.window_max;
}

Result<bool> Importer::read_one() {
  if (held_ && !underway_.contains(held_->identity())) queue(*std::exchange(held_, std::nullopt));
  if (!may_read()) return false;
  record_.clear();
  TRY_ASSIGN(const bool has_record, source_.next(record_));
  if (!has_record) {
    is_at_end_ = true;
    ledger_.close_chunk(source_.position().value_or(ledger_.position()));
    return false;
  }
  TRY(claim());
  const Ledger::Chunk chunk = ledger_.begin_document();
  PendingWrite write;
  if (const Status prepared = prepare(record_, chunk, write); !prepared) {
    refuse(write, 0, prepared.error().message);
  } else if (underway_.contains(write.identity())) {
    held_ = std::move(write);
  } else {
    queue(std::move(write));
  }
  close_chunk_if_due();
  return true;
}

Status Importer::prepare(const SourceRecord& record, Ledger::Chunk chunk, PendingWrite& write) {
  write.chunk = chunk;
  write.line = record.line;
  auto name = names_.find(source_.name());
  if (name == names_.end()) name = names_.emplace(source_.name()).first;
  write.file = *name;
  ++documents_;
  write.is_in_doubt = documents_ <= doubtful_ || (!source_.is_ordered() && doubtful_ > 0);
  if (!record.fault.empty()) return fail(ErrorCode::kInvalidInput, record.fault);
  const Value document = record.document.view();
  write.key = PartitionKey::of(document, options_.partition_key);
  write.hash = effective_partition_key(write.key, options_.partition_key);
  write.document = to_json(document);
  const Value id = document.find("id");
  if (!id.is_undefined() && !id.is_string()) return fail(ErrorCode::kInvalidInput, "the id is not a string");
  write.content = content_hash(document, options_.computed);
  if (id.is_string()) {
    write.id = id.string();
    return {};
  }
  write.id = generated_id(std::filesystem::path(write.file).filename().native(), record.line, write.content);
  StoredWriter whole;
  whole.begin_object();
  whole.key("id");
  whole.string(write.id);
  TRY(read_json_members(write.document, {}, whole));
  whole.end_object();
  write.content = content_hash(whole.view(), options_.computed);
  write.document = to_json(whole.view());
  write.key = PartitionKey::of(whole.view(), options_.partition_key);
  write.hash = effective_partition_key(write.key, options_.partition_key);
  return {};
}

void Importer::close_chunk_if_due() {
  if (ledger_.open_documents() < kChunkDocuments) return;
  if (std::optional<std::string> position = source_.position()) ledger_.close_chunk(std::move(*position));
}

void Importer::queue(PendingWrite write) {
  underway_.insert(write.identity());
  write_or_find(std::move(write));
}

void Importer::write_or_find(PendingWrite write) {
  const bool may_be_doubled =
      destination_.draws_keys() && (options_.mode == WriteMode::kInsert || options_.mode == WriteMode::kSkip);
  if (write.search || (may_be_doubled && write.is_in_doubt && !write.is_missing)) {
    compare(std::move(write));
  } else {
    queues_.add(std::move(write));
  }
}

void Importer::refuse(const PendingWrite& write, int status, std::string reason) {
  ledger_.settle_refused(
      write.chunk,
      {.file = std::string(write.file), .line = write.line, .id = write.id, .status = status, .reason = std::move(reason)});
}

Status Importer::send_batches(bool any_will_do) {
  while (std::optional<WriteQueues::Batch> batch = queues_.take(any_will_do)) send(std::move(*batch));
  const Tally tally = ledger_.so_far();
  if (tally.refused <= options_.refusals_max) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("{} documents were refused, more than --max-errors {}", tally.refused, options_.refusals_max));
}

void Importer::send(WriteQueues::Batch batch) {
  in_flight_ += batch.writes.size();
  auto writes = std::make_shared<std::vector<PendingWrite>>(std::move(batch.writes));
  destination_.write(batch.range_id, *writes, [writes, answers = answers_](std::vector<WriteAnswer> given) {
    answers->push({.writes = std::move(*writes), .answers = std::move(given)});
  });
}

void Importer::compare(PendingWrite write) {
  ++in_flight_;
  if (!write.search) write.search.emplace();
  auto sent = std::make_shared<PendingWrite>(std::move(write));
  destination_.read(*sent, [sent, answers = answers_](ReadAnswer found) {
    AnsweredBatch answered{.found = std::move(found)};
    answered.writes.push_back(std::move(*sent));
    answers->push(std::move(answered));
  });
}

void Importer::try_later(PendingWrite write, Clock::duration wait) {
  write.ready = Clock::now() + wait;
  retries_.push_back(std::move(write));
}

void Importer::queue_retries() {
  if (needs_ranges_) return;
  const Clock::time_point now = Clock::now();
  for (size_t left = retries_.size(); left > 0; --left) {
    PendingWrite write = std::move(retries_.front());
    retries_.pop_front();
    if (write.ready <= now) {
      write_or_find(std::move(write));
    } else {
      retries_.push_back(std::move(write));
    }
  }
}

Status Importer::refresh_ranges() {
  Result<std::vector<client::PartitionRange>> ranges = destination_.ranges();
  if (!ranges) {
    answers_->wait(kLongestWait);
    return ranges.error().code == ErrorCode::kUnavailable ? check_patience(ranges.error().message)
                                                          : std::unexpected(std::move(ranges).error());
  }
  queues_.set_ranges(std::move(*ranges));
  needs_ranges_ = false;
  return {};
}

Status Importer::check_patience(const std::string& reason) {
  last_trouble_ = reason;
  if (Clock::now() - helped_ < options_.patience) return {};
  return fail(ErrorCode::kUnavailable,
              fmt::format("no document could be written for {} seconds (--patience): {}", options_.patience.count(), reason));
}

Status Importer::claim() {
  if (documents_ < checkpoint_.claimed) return {};
  checkpoint_.claimed = documents_ + kClaimedAhead;
  return save();
}

Status Importer::save_if_due() { return Clock::now() - saved_ < kSavePause ? Status() : save(); }

// Errors first: a checkpoint never says that more of them were written than there are.
Status Importer::save() {
  saved_ = Clock::now();
  ledger_.advance();
  const std::vector<Refusal> refusals = ledger_.take_refusals();
  if (errors_ != nullptr && !refusals.empty()) {
    for (const Refusal& refusal : refusals) TRY(errors_->write(refusal_text(refusal)));
    TRY_ASSIGN(checkpoint_.output_bytes, errors_->sync());
  }
  checkpoint_.position = ledger_.position();
  checkpoint_.tally = ledger_.settled();
  checkpoint_.documents = documents_ - ledger_.unsettled();
  return state_ == nullptr ? Status() : state_->save(checkpoint_);
}

void Importer::show() {
  watch_.show({.tally = ledger_.so_far(),
               .request_units = units_,
               .throttles = throttles_,
               .in_flight = in_flight_,
               .share = source_.progress()});
}

void Importer::wait_for_answers() { answers_->wait(retries_.empty() ? kLongestWait : std::chrono::milliseconds(10)); }

}  // namespace partita::tools::transfer
