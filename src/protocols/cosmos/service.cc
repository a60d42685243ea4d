#include "protocols/cosmos/service.h"

#include "auth/authorization_token.h"
#include "engine/attachments.h"
#include "partition/charge/throttling.h"
#include "protocols/cosmos/authorization/authorization.h"
#include "protocols/cosmos/cors.h"
#include "protocols/cosmos/direct/wire_name.h"
#include "protocols/cosmos/documents/service_documents.h"
#include "protocols/cosmos/errors.h"
#include "protocols/cosmos/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace partita::cosmos {
namespace {

// Clients choose the activity id by which they want to find a request again; anything else than a short printable text gets a new
// one.
constexpr size_t kActivityIdCharsMax = 64;
// So long the answer to a request that was carried out waits to be written.
constexpr int64_t kAnswerWaitMicrosecondsMax = 60'000'000;

bool is_activity_id(std::string_view text) {
  const auto is_printable = [](char c) { return c >= ' ' && c < 0x7F; };
  return !text.empty() && text.size() <= kActivityIdCharsMax && std::ranges::all_of(text, is_printable);
}

// After that a request for which there was no memory is worth another try.
constexpr int64_t kBusyRetryUs = 500'000;

Error busy() {
  return too_many_waiting(
             "Requests and answers of this database take as much of the server's memory as they may at the moment; "
             "try again in a moment.",
             kBusyRetryUs)
      .error();
}

// What the body of a request may have at most, whatever is done with it: the service takes two megabytes, and media is larger.
size_t body_bytes_max(ResourceKind kind) {
  const bool is_media = kind == ResourceKind::kMedia || kind == ResourceKind::kAttachment;
  return is_media ? kMediaBytesMax : kDocumentBytesMax;
}

void answer_early_error(const Error& error, const std::string& activity_id, net::HttpResponse& response, net::HttpDone& done) {
  const WireError wire = wire_error(error.code);
  response.status = wire.status;
  response.header(header::kActivityId, activity_id);
  response.header(header::kContentType, "application/json");
  append_error_body(response.body, error, activity_id);
  done();
}

// What the service has in front of its gateway answers, to a client that finds no JSON in it.
void answer_invalid_url(net::HttpResponse& response) {
  response.status = 400;
  response.header(header::kContentType, "text/html; charset=us-ascii");
  response.body = "<html><head><title>Bad Request</title></head><body><h2>Bad Request - Invalid URL</h2></body></html>";
}

// Signatures of account keys are over the path, tokens of permissions and directories are not.
Status check_signed_path(const Exchange& exchange) {
  const Status reached = check_gateway_reaches(exchange.path().item());
  if (reached) return reached;
  const auto token = auth::parse_authorization_token(exchange.header(header::kAuthorization));
  return token && token->type == auth::TokenType::kMaster ? reached : Status();
}

// While the container's partitions are changed its documents may be closed, to writers or to everybody; what describes it is not.
Status check_mode(const Exchange& exchange, const Container& container) {
  const ResourceKind kind = exchange.path().kind();
  if (kind == ResourceKind::kContainer || kind == ResourceKind::kPartitionKeyRange || kind == ResourceKind::kAddresses) return {};
  switch (container.lineage->mode()) {
    case ContainerMode::kOnline: return {};
    case ContainerMode::kReadOnly:
      if (!exchange.operation().is_write()) return {};
      return fail(ErrorCode::kForbidden,
                  fmt::format("The container '{}' is read-only while its partitions are changed.", container.definition.id));
    case ContainerMode::kOffline:
      return fail(ErrorCode::kUnavailable,
                  fmt::format("The container '{}' is offline while its partitions are changed.", container.definition.id));
  }
  return {};
}

bool reads_documents(const Operation& operation) {
  return operation.kind == ResourceKind::kItem && !operation.is_write() && operation.action != Action::kPlanQuery;
}

// Clients read metadata with the strongest level on accounts of every level, and get the account's; only where documents are
// read is a level that is too strong refused.
Result<ConsistencyLevel> level_of(const Exchange& exchange, ConsistencyLevel of_account) {
  const std::string_view asked = exchange.header(header::kConsistencyLevel);
  if (asked.empty() || reads_documents(exchange.operation())) return consistency_level(asked, of_account);
  TRY_ASSIGN(const ConsistencyLevel known, consistency_level(asked, ConsistencyLevel::kStrong));
  return std::max(known, of_account);  // the weaker one
}

}  // namespace

ExchangePtr Service::open(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const {
  if (const std::string_view origin = request.header(header::kOrigin); !origin.empty() && parts_.origins.names(origin)) {
    add_cors_headers(origin, response);
    if (request.method == "OPTIONS") {
      answer_preflight(request, response);
      done();
      return nullptr;
    }
  }
  const std::string_view given_id = request.header(header::kActivityId);
  std::string activity_id = is_activity_id(given_id) ? std::string(given_id) : parts_.random.uuid();
  Result<ResourcePath> path = ResourcePath::parse(request.path, request.query);
  if (!path) {
    answer_early_error(path.error(), activity_id, response, done);
    return nullptr;
  }
  const bool is_as_service = cosmos::fidelity(request.header(header::kFidelity), parts_.fidelity) == Fidelity::kService;
  const bool has_gateway = request.wire != direct::kWireName;
  if (is_as_service && has_gateway && !is_url_of_gateway(path->item())) {
    answer_invalid_url(response);
    done();
    return nullptr;
  }
  const Operation operation = operation_of(request, *path);
  auto exchange =
      std::make_unique<Exchange>(request, response, std::move(done), std::move(activity_id), std::move(*path), operation);
  if (const Status verdict = check_authorization(*exchange); !verdict) {
    exchange->answer_error(verdict.error());
    return nullptr;
  }
  return exchange;
}

Status Service::check_authorization(Exchange& exchange) const {
  TRY_ASSIGN(TokenLimits limits, authorize(exchange, parts_.keys, parts_.catalog, parts_.clock));
  exchange.set_limits(std::move(limits));
  exchange.response().is_authorized = true;
  const bool has_gateway = !exchange.is_direct() && fidelity(exchange) == Fidelity::kService;
  if (has_gateway && !exchange.path().item().empty()) TRY(check_signed_path(exchange));
  return exchange.computed_key_status();
}

void Service::handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) {
  ExchangePtr exchange = open(request, response, std::move(done));
  if (!exchange) return;
  const auto level = level_of(*exchange, parts_.consistency);
  if (!level) return exchange->answer_error(level.error());
  const auto asked = cosmos::fidelity(exchange->header(header::kFidelity), parts_.fidelity);
  if (!asked) return exchange->answer_error(asked.error());
  route(*this, std::move(exchange));
}

net::HttpAdmission Service::admit(const net::HttpRequest& head, net::HttpResponse& refusal) {
  const ExchangePtr exchange = open(head, refusal, [] {});
  if (!exchange) return {.is_admitted = false};
  const size_t bytes_max = body_bytes_max(exchange->path().kind());
  const bool is_admitted = head.announced_bytes.value_or(0) <= bytes_max;
  if (!is_admitted) {
    exchange->answer_error(
        {ErrorCode::kTooLarge,
         fmt::format("Message: {{\"Errors\":[\"Request size is too large\"]}}\r\nThe body has {} bytes, the limit is {}.",
                     *head.announced_bytes, bytes_max)});
  }
  return {.is_admitted = is_admitted, .body_bytes_max = bytes_max};
}

uint64_t Service::tenant_of(const net::HttpRequest& head) const {
  const Result<ResourcePath> path = ResourcePath::parse(head.path, head.query);
  if (!path || path->database().empty()) return kAccountTenant.database;
  const auto database = parts_.catalog.database(path->database());
  return database ? partita::tenant_of(**database).database : kAccountTenant.database;
}

void Service::answer_busy(net::HttpResponse& response) const {
  response.clear();
  net::HttpDone done = [] {};
  const Error error = busy();
  response.header(header::kRetryAfter, std::to_string(retry_after_ms(error).value_or(0)));
  answer_early_error(error, parts_.random.uuid(), response, done);
}

Result<std::shared_ptr<const Container>> Service::container(const Exchange& exchange) const {
  return container(exchange, exchange.path().database(), exchange.path().container());
}

Result<std::shared_ptr<const Container>> Service::container(const Exchange& exchange, std::string_view database,
                                                            std::string_view name) const {
  Result<std::shared_ptr<const Container>> container = parts_.catalog.container(database, name);
  if (!container) {
    // Seen from a document, the container is an owner that is missing.
    if (exchange.path().kind() != ResourceKind::kContainer && container.error().code == ErrorCode::kNotFound)
      container.error().code = ErrorCode::kOwnerNotFound;
    return container;
  }
  const std::string_view intended = exchange.header(header::kIntendedContainerRid);
  if (!intended.empty() && intended != (*container)->rid()) {
    return fail(ErrorCode::kContainerRecreated,
                fmt::format("The container '{}' was deleted and created anew: the request means {}, it is {} now.",
                            (*container)->definition.id, intended, (*container)->rid()));
  }
  TRY(check_mode(exchange, **container));
  return container;
}

void Service::answer_by_worker(const Tenant& tenant, ExchangePtr exchange, LaterAnswer answer) const {
  submit({.tenant = tenant, .run = {}, .refuse = {}}, std::move(exchange), std::move(answer));
}

void Service::answer_large(const Tenant& tenant, ExchangePtr exchange, size_t bytes,
                           std::move_only_function<void(Exchange&)> answer) const {
  if (bytes <= kAnswerBytesAtOnceMax || FairScheduler::is_on_worker()) return answer(*exchange);
  MemoryLoan memory(parts_.answers, tenant.database);
  const auto claim = exchange->operation().is_write() ? FairMemory::Claim::kAlways : FairMemory::Claim::kShare;
  if (!memory.grow_to(bytes, claim)) return exchange->answer_error(busy());
  continue_by_worker(
      tenant, std::move(exchange),
      [answer = std::move(answer), memory = std::move(memory)](ExchangePtr later, Turn&) mutable { answer(*later); });
}

void Service::continue_by_worker(const Tenant& tenant, ExchangePtr exchange, LaterAnswer answer) const {
  submit({.tenant = tenant, .run = {}, .refuse = {}, .wait_us_max = kAnswerWaitMicrosecondsMax, .is_continued = true},
         std::move(exchange), std::move(answer));
}

void Service::submit(FairScheduler::Job job, ExchangePtr exchange, LaterAnswer answer) const {
  job.is_abandoned = exchange->request().is_abandoned;
  auto waiting = std::make_shared<ExchangePtr>(std::move(exchange));  // for whichever function is called
  job.run = [waiting, answer = std::move(answer)](Turn& turn) mutable {
    const auto own = std::make_shared<WorkerTurn>(WorkerTurn{std::this_thread::get_id(), &turn});
    (*waiting)->set_turn(own);
    answer(std::move(*waiting), turn);
    own->turn = nullptr;
  };
  job.refuse = [waiting](const Error& error) { (*waiting)->answer_error(error); };
  parts_.workers.submit(std::move(job));
}

Fidelity Service::fidelity(const Exchange& exchange) const {
  return cosmos::fidelity(exchange.header(header::kFidelity), parts_.fidelity).value_or(parts_.fidelity);
}

RequestTerms Service::terms(const Exchange& exchange) const {
  const auto level = level_of(exchange, parts_.consistency);
  const bool is_low = net::equal_without_case(exchange.header(header::kPriorityLevel), "low");
  const bool is_on_worker = exchange.turn() != nullptr;
  return {.priority = is_low ? Priority::kLow : Priority::kHigh,
          // In direct mode the client asks two replicas and adds up what they charge.
          .reads = exchange.is_direct() ? ReadPrice::kSingle : read_price(level.value_or(parts_.consistency)),
          .writes = is_on_worker ? Partition::Length::kLong : Partition::Length::kShort,
          // Whoever is limited to a key may not have the server choose another one.
          .takes_computed_key = !exchange.limits().key,
          .may_wait = is_on_worker,
          .read_bytes_max = is_on_worker ? SIZE_MAX : kAnswerBytesAtOnceMax};
}

}  // namespace partita::cosmos
