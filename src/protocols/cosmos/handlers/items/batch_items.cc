#include "cluster/tenants.h"
#include "gateway/items/batches.h"
#include "protocols/cosmos/codec/batch/batch_body.h"
#include "protocols/cosmos/codec/batch/batch_rows.h"
#include "protocols/cosmos/codec/batch/record_stream.h"
#include "protocols/cosmos/documents/service_documents.h"
#include "protocols/cosmos/handlers/handlers.h"
#include "protocols/cosmos/handlers/items/feed_scope.h"
#include "protocols/cosmos/handlers/items/item_answer.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>

namespace partita::cosmos {
namespace {

Status parse(const Exchange& exchange, BatchBody& body) {
  const std::string_view text = exchange.request().body;
  if (text.size() > kDocumentBytesMax) {
    return fail(ErrorCode::kTooLarge,
                fmt::format("Message: {{\"Errors\":[\"Request size is too large\"]}}\r\nThe batch has {} bytes, the limit is {}.",
                            text.size(), kDocumentBytesMax));
  }
  TRY(is_record_stream(text) ? parse_batch_rows(text, body) : parse_batch_json(text, body));
  if (prefers_minimal(exchange)) {
    for (BatchStep& step : body.steps) step.wants_document = step.operation.verb == ItemVerb::kRead;
  }
  return {};
}

size_t document_bytes(const BatchOutcome& outcome) {
  size_t bytes = 0;
  for (const BatchStepOutcome& step : outcome.steps) {
    if (step.wants_document && !step.is_unchanged) bytes += step.item.record.size();
  }
  return bytes;
}

void answer(Exchange& exchange, const Container& container, const Result<BatchOutcome>& outcome) {
  constexpr int kMultiStatus = 207;
  if (!outcome) return exchange.answer_error(outcome.error());
  // A client is answered in the form it asked in.
  if (is_record_stream(exchange.request().body)) {
    append_batch_rows(exchange.response().body, *outcome);
  } else {
    append_batch_json(exchange.response().body, *outcome);
  }
  exchange.set_charge(outcome->charge);
  exchange.set_session(*outcome->place, outcome->lsn);
  if (!outcome->has_failed()) exchange.set_owner(container);
  exchange.finish(outcome->has_failed() ? kMultiStatus : 200);
}

// Operations that wait for each other go on where the one before became durable; that thread tells all writers.
BulkOptions::OnWorker worker_for(const Service& service, const Container& container, const std::atomic<bool>* is_abandoned) {
  return [&service, tenant = tenant_of(container), is_abandoned](BulkOptions::Next next) {
    if (FairScheduler::is_on_worker()) return next({});
    const auto shared = std::make_shared<BulkOptions::Next>(std::move(next));  // for whichever function is called
    service.workers().submit({.tenant = tenant,
                              .run = [shared](Turn&) { (*shared)({}); },
                              .refuse = [shared](const Error& error) { (*shared)(std::unexpected(error)); },
                              .wait_us_max = INT64_MAX,
                              .is_continued = true,
                              .is_abandoned = is_abandoned});
  };
}

void run(const Service& service, ExchangePtr exchange, const std::shared_ptr<const Container>& container,
         const std::shared_ptr<BatchBody>& body) {
  const Result<std::optional<PartitionKey>> key = exchange->partition_key();
  if (!key) return exchange->answer_error(key.error());
  const Result<const PartitionPlace*> place = named_place(*exchange, *container);
  if (!place) return exchange->answer_error(place.error());
  const Priority priority = service.terms(*exchange).priority;
  const bool is_atomic = exchange->operation().action == Action::kBatch;
  for (BatchStep& step : body->steps) {
    step.operation.priority = priority;
    step.operation.takes_computed_key = !is_atomic && !exchange->limits().key;
  }
  const BulkOptions options{.place = *place,
                            .continues_on_error = exchange->is_header_true(header::kBatchContinueOnError),
                            .on_worker = worker_for(service, *container, exchange->request().is_abandoned)};
  // The operations look into the body, also when they are run again because the partition was split meanwhile.
  auto callback = [&service, container, body, exchange = std::move(exchange)](Result<BatchOutcome> outcome) mutable {
    const size_t bytes = outcome ? document_bytes(*outcome) : 0;
    service.answer_large(
        tenant_of(*container), std::move(exchange), bytes,
        [container, body, outcome = std::move(outcome)](Exchange& later) { answer(later, *container, outcome); });
  };
  if (is_atomic) return run_batch(service.items(), container, *key, std::move(body->steps), std::move(callback));
  run_bulk(service.items(), container, options, std::move(body->steps), std::move(callback));
}

}  // namespace

// Transactional batch and bulk: a request says by a header which of them it is.
void batch_items(const Service& service, ExchangePtr exchange) {
  const Result<std::shared_ptr<const Container>> container = service.container(*exchange);
  if (!container) return exchange->answer_error(container.error());
  const auto body = std::make_shared<BatchBody>();
  if (const Status parsed = parse(*exchange, *body); !parsed) return exchange->answer_error(parsed.error());
  run(service, std::move(exchange), *container, body);
}

}  // namespace partita::cosmos
