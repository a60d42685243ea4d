#include "tools/transfer/import/service_destination.h"

#include "client/feed_page.h"
#include "client/header_names.h"
#include "client/items/batch.h"
#include "client/items/item_requests.h"
#include "document/json/json.h"

#include <utility>

namespace partita::tools::transfer {
namespace {

using client::BatchOperation;

constexpr int kBadRequest = 400;
constexpr int kTooLargeTogether = 413;

BatchOperation::Kind kind_of(WriteMode mode) {
  switch (mode) {
    case WriteMode::kInsert:
    case WriteMode::kSkip: return BatchOperation::Kind::kCreate;
    case WriteMode::kUpsert: return BatchOperation::Kind::kUpsert;
    case WriteMode::kReplace: return BatchOperation::Kind::kReplace;
  }
  return BatchOperation::Kind::kCreate;
}

// What a whole request was answered.
WriteAnswer answer_to_all(const client::Answer<client::Response>& answer) {
  if (!answer) return {.reason = answer.error().message};
  WriteAnswer all{.status = answer->status(),
                  .sub_status = answer->sub_status(),
                  .charge = answer->charge(),
                  .retry_after_ms = answer->retry_after_ms()};
  if (!answer->is_success()) all.reason = client::failure_of(*answer).message;
  return all;
}

// Without its documents.
ReadAnswer answer_to_read(const client::Answer<client::Response>& answer) {
  WriteAnswer all = answer_to_all(answer);
  return {.status = all.status,
          .sub_status = all.sub_status,
          .charge = all.charge,
          .retry_after_ms = all.retry_after_ms,
          .reason = std::move(all.reason)};
}

// The message in the body of an operation that was refused, or the body.
std::string reason_of(const client::BatchResult& result) {
  if (result.is_success()) return {};
  const Result<std::string> stored = stored_from_json(result.document);
  const Value message = stored ? Value::view(*stored).find("message") : Value();
  if (message.is_string()) return std::string(message.string());
  if (!result.document.empty()) return result.document;
  return result.status == 409 ? "there is a document with this id, or with values that must be unique" : "no reason was given";
}

std::vector<WriteAnswer> answers_to_batch(const client::Answer<client::Response>& answer, size_t count) {
  const bool is_each = answer && (answer->status() == 200 || answer->status() == 207);
  if (!is_each) {
    WriteAnswer all = answer_to_all(answer);
    // Who does not understand all of them together may understand each.
    if (all.status == kBadRequest) all.status = kTooLargeTogether;
    std::vector<WriteAnswer> answers(count, all);
    for (WriteAnswer& one : answers) one.charge = all.charge / static_cast<double>(count);
    return answers;
  }
  const Result<std::vector<client::BatchResult>> results = client::batch_results(*answer);
  if (!results || results->size() != count)
    return std::vector<WriteAnswer>(count, {.reason = "the server's answer to a bulk request cannot be read"});
  std::vector<WriteAnswer> answers;
  for (const client::BatchResult& result : *results) {
    answers.push_back({.status = result.status,
                       .sub_status = result.sub_status,
                       .charge = result.charge,
                       .retry_after_ms = result.retry_after_ms,
                       .reason = reason_of(result)});
  }
  return answers;
}

}  // namespace

size_t ServiceDestination::batch_max() const { return is_bulk_ ? client::kBatchOperationsMax : 1; }

Result<std::vector<client::PartitionRange>> ServiceDestination::ranges() {
  client::Answer<std::vector<client::PartitionRange>> ranges = client::read_partition_ranges(client_, name_);
  if (ranges) return std::move(*ranges);
  const client::Failure& failure = ranges.error();
  const bool is_unreadable = failure.code == ErrorCode::kInternal;
  const bool may_come_back = (failure.status == 0 && !is_unreadable) || failure.status == 429 || failure.status >= 500;
  return fail(may_come_back ? ErrorCode::kUnavailable : failure.code, failure.message);
}

void ServiceDestination::write(const std::string& range_id, std::span<const PendingWrite> writes,
                               std::move_only_function<void(std::vector<WriteAnswer>)> callback) {
  if (!is_bulk_ || writes.front().is_alone) return write_one(writes.front(), std::move(callback));
  if (*bulk_ == Bulk::kUnknown) return callback(std::vector<WriteAnswer>(writes.size(), {.status = kTooLargeTogether}));
  std::vector<BatchOperation> operations;
  for (const PendingWrite& write : writes) {
    operations.push_back({.kind = kind_of(mode_), .id = write.id, .document = write.document, .key = write.key});
    if (mode_ != WriteMode::kReplace) operations.back().id.clear();
  }
  client::Request request = client::bulk_items(name_, range_id, operations).with(client::header::kPrefer, "return=minimal");
  client_.send(std::move(request), [count = writes.size(), bulk = bulk_,
                                    callback = std::move(callback)](client::Answer<client::Response> answer) mutable {
    Bulk untried = Bulk::kUntried;
    if (answer && (answer->is_success() || answer->status() == kBadRequest))
      bulk->compare_exchange_strong(untried, answer->is_success() ? Bulk::kKnown : Bulk::kUnknown);
    callback(answers_to_batch(answer, count));
  });
}

void ServiceDestination::write_one(const PendingWrite& write,
                                   std::move_only_function<void(std::vector<WriteAnswer>)> callback) const {
  const client::ItemOptions options{.wants_body = false};
  client::Request request = mode_ == WriteMode::kUpsert ? client::upsert_item(name_, write.key, write.document, options)
                            : mode_ == WriteMode::kReplace
                                ? client::replace_item(name_, write.key, write.id, write.document, options)
                                : client::create_item(name_, write.key, write.document, options);
  client_.send(std::move(request), [callback = std::move(callback)](client::Answer<client::Response> answer) mutable {
    callback({answer_to_all(answer)});
  });
}

void ServiceDestination::find(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) const {
  std::string parameters = R"([{"name":"@id","value":)";
  append_json_string(parameters, write.id);
  client::Request request =
      client::query_page(name_, {}, client::query_body("SELECT * FROM c WHERE c.id = @id", parameters + "}]"),
                         {.continuation = write.search ? write.search->continuation : ""});
  client_.send(std::move(request), [callback = std::move(callback)](client::Answer<client::Response> answer) mutable {
    ReadAnswer found = answer_to_read(answer);
    if (found.status != 200) return callback(std::move(found));
    const Result<client::FeedPage> page = client::FeedPage::parse(*answer, "Documents");
    if (!page) return callback({.reason = page.error().message});
    for (size_t index = 0; index < page->size(); ++index) found.documents.push_back(to_json(page->at(index)));
    found.continuation = answer->continuation();
    callback(std::move(found));
  });
}

void ServiceDestination::read(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) {
  if (keys_ != KeyOrigin::kDocument) return find(write, std::move(callback));
  client_.send(client::read_item(name_, write.key, write.id),
               [callback = std::move(callback)](client::Answer<client::Response> answer) mutable {
                 ReadAnswer found = answer_to_read(answer);
                 if (found.status == 200) found.documents.push_back(answer->take_body());
                 callback(std::move(found));
               });
}

}  // namespace partita::tools::transfer
