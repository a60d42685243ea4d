#include "server/reshape_door.h"

#include "auth/authorization_token.h"
#include "base/encodings.h"
#include "cluster/key_definition.h"
#include "cluster/records.h"
#include "cluster/tenants.h"
#include "document/json.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/statistics.h"
#include "tools/plan/plan_split.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <memory>

namespace partita::server {
namespace {

void answer_json(net::HttpResponse& response, int status, const Value& body) {
  response.status = status;
  response.header("Content-Type", "application/json");
  response.body = to_json(body) + "\n";
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthorized: return 401;
    case ErrorCode::kForbidden:
    case ErrorCode::kAuthorizationExpired: return 403;
    case ErrorCode::kInvalidInput: return 400;
    case ErrorCode::kNotFound:
    case ErrorCode::kOwnerNotFound:
    case ErrorCode::kPartitionGone: return 404;
    case ErrorCode::kAlreadyExists: return 409;
    default: return 503;
  }
}

void answer_error(net::HttpResponse& response, const Error& error) {
  StoredWriter out;
  out.begin_object();
  out.key("message");
  out.string(error.message);
  out.end_object();
  answer_json(response, status_of(error.code), out.view());
}

void write_texts(StoredWriter& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name);
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

void write_reshape(StoredWriter& out, const Reshape& reshape) {
  out.begin_object();
  out.key("kind");
  out.string(name_of(reshape.kind));
  out.key("state");
  out.string(name_of(reshape.state));
  std::vector<std::string> children;
  for (const PlaceRecord& child : reshape.children) children.push_back(child.range_id);
  write_texts(out, "parents", reshape.parents);
  write_texts(out, "children", children);
  out.end_object();
}

Result<std::string> text_in(const Value& order, std::string_view name) {
  const Value found = order.find(name);
  if (!found.is_string()) return fail(ErrorCode::kInvalidInput, fmt::format("The body needs a '{}', a text.", name));
  return std::string(found.string());
}

Result<ContainerMode> mode_in(const Value& order) {
  if (order.find("mode").is_undefined()) return ContainerMode::kOnline;
  TRY_ASSIGN(const std::string name, text_in(order, "mode"));
  return container_mode(name);
}

Result<ReshapeReport> split(Reshaper& reshaper, const Value& order) {
  TRY_ASSIGN(const std::string database, text_in(order, "database"));
  TRY_ASSIGN(const std::string container, text_in(order, "container"));
  TRY_ASSIGN(const std::string range, text_in(order, "range"));
  std::optional<EffectivePartitionKey> at;
  if (!order.find("at").is_undefined()) {
    TRY_ASSIGN(const std::string hash, text_in(order, "at"));
    at = from_hex(hash);
    if (!at) return fail(ErrorCode::kInvalidInput, fmt::format("The hash '{}' is not hexadecimal.", hash));
  }
  TRY_ASSIGN(const ContainerMode mode, mode_in(order));
  return reshaper.split(database, container, range, at, mode);
}

Result<ReshapeReport> merge(Reshaper& reshaper, const Value& order) {
  TRY_ASSIGN(const std::string database, text_in(order, "database"));
  TRY_ASSIGN(const std::string container, text_in(order, "container"));
  TRY_ASSIGN(const std::string range, text_in(order, "range"));
  TRY_ASSIGN(const ContainerMode mode, mode_in(order));
  return reshaper.merge(database, container, range, mode);
}

Result<ReshapeReport> rekey(Reshaper& reshaper, const Value& order) {
  TRY_ASSIGN(const std::string database, text_in(order, "database"));
  TRY_ASSIGN(const std::string container, text_in(order, "container"));
  TRY_ASSIGN(const PartitionKeyDefinition key, parse_partition_key_definition(order.find("partitionKey")));
  TRY_ASSIGN(const ContainerMode mode, mode_in(order));
  return reshaper.rekey(database, container, key, mode);
}

Result<tools::PlanOptions> plan_options(const Value& order) {
  tools::PlanOptions options;
  TRY_ASSIGN(options.database, text_in(order, "database"));
  TRY_ASSIGN(options.container, text_in(order, "container"));
  const auto positive = [&](std::string_view name) -> Result<std::optional<int64_t>> {
    const Value value = order.find(name);
    if (value.is_undefined()) return std::nullopt;
    const std::optional<int64_t> integer = value.is_number() ? value.integer() : std::nullopt;
    if (!integer || *integer <= 0) return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a positive integer.", name));
    return integer;
  };
  TRY_ASSIGN(options.throughput, positive("throughput"));
  TRY_ASSIGN(const std::optional<int64_t> bytes, positive("partitionBytes"));
  if (bytes) options.limits.partition_bytes_max = static_cast<uint64_t>(*bytes);
  const Value paths = order.find("partitionKeyPaths");
  for (size_t i = 0; paths.is_array() && i < paths.size(); ++i) {
    if (!paths.element(i).is_string()) return fail(ErrorCode::kInvalidInput, "A path of the partition key is not a string.");
    options.partition_key.emplace_back(paths.element(i).string());
  }
  const Value merge = order.find("merge");
  options.limits.merges = merge.is_bool() && merge.boolean();
  return options;
}

struct Answer {
  std::string_view content_type;
  std::string body;
};

Result<Answer> plan(const Catalog& catalog, Reshaper& /*unused*/, const Value& order) {
  TRY_ASSIGN(const tools::PlanOptions options, plan_options(order));
  TRY_ASSIGN(std::string text, tools::plan_split(catalog, options));
  return Answer{"text/plain; charset=utf-8", std::move(text)};
}

template <Result<ReshapeReport> (*kReshape)(Reshaper&, const Value&)>
Result<Answer> reported(const Catalog& /*unused*/, Reshaper& reshaper, const Value& order) {
  TRY_ASSIGN(const ReshapeReport report, kReshape(reshaper, order));
  StoredWriter out;
  write_report(out, report);
  return Answer{"application/json", to_json(out.view()) + "\n"};
}

// What takes longer than a connection's thread may wait: carried out one after the other.
struct Order {
  std::string_view name;
  Result<Answer> (*carry_out)(const Catalog&, Reshaper&, const Value&);
};
constexpr std::array kOrders = {Order{"split", reported<split>}, Order{"merge", reported<merge>}, Order{"rekey", reported<rekey>},
                                Order{"plan", plan}};

// Answers in the account's own turn; at once where there are no workers.
void run_by_worker(FairScheduler* workers, net::HttpResponse& response, net::HttpDone done, std::function<void()> answer) {
  if (workers == nullptr) {
    answer();
    return done();
  }
  const auto waiting = std::make_shared<net::HttpDone>(std::move(done));
  workers->submit({.tenant = kAccountTenant,
                   .run =
                       [waiting, answer = std::move(answer)](Turn&) {
                         answer();
                         (*waiting)();
                       },
                   .refuse =
                       [waiting, &response](const Error& error) {
                         answer_error(response, error);
                         (*waiting)();
                       }});
}

}  // namespace

void write_report(StoredWriter& out, const ReshapeReport& report) {
  const auto milliseconds = [&](std::string_view name, int64_t us) {
    out.key(name);
    out.number(static_cast<double>(us) / 1000);
  };
  const auto count = [&](std::string_view name, uint64_t value) {
    out.key(name);
    out.integer(static_cast<int64_t>(value));
  };
  out.begin_object();
  out.key("kind");
  out.string(name_of(report.kind));
  write_texts(out, "parents", report.parents);
  write_texts(out, "children", report.children);
  count("documents", report.documents);
  count("bytes", report.bytes);
  if (report.verified > 0) count("verified", report.verified);
  count("rounds", static_cast<uint64_t>(report.rounds));
  milliseconds("copyMs", report.copy_us);
  milliseconds("pauseMs", report.pause_us);
  out.end_object();
}

Status ReshapeDoor::authorize(const net::HttpRequest& request) const {
  TRY_ASSIGN(const auth::AuthorizationToken token,
             auth::parse_authorization_token(request.header(cosmos::header::kAuthorization)));
  const std::optional<std::string> signature = from_base64(token.signature);
  if (token.type != auth::TokenType::kMaster || !signature) {
    return fail(ErrorCode::kUnauthorized, "Only requests signed with an account key (type=master) are accepted.");
  }
  const std::array spellings = {
      auth::SignedResource{.type = kAdminResourceType, .link = request.path.substr(kAdminPrefix.size())}};
  const auth::SignedRequest signed_request{.verb = request.method,
                                           .client_date = request.header(cosmos::header::kClientDate),
                                           .date = request.header(cosmos::header::kDate)};
  TRY_ASSIGN(const auth::KeyKind kind, keys_.verify(signed_request, spellings, *signature));
  if (kind == auth::KeyKind::kReadOnly && request.method != "GET") {
    return fail(ErrorCode::kForbidden, "The request was signed with a read-only key, which can only look.");
  }
  return {};
}

void ReshapeDoor::answer_reshapes(net::HttpResponse& response) const {
  StoredWriter out;
  out.begin_object();
  out.key("reshapes");
  out.begin_array();
  for (const Reshape& reshape : catalog_.reshapes()) write_reshape(out, reshape);
  out.end_array();
  out.end_object();
  answer_json(response, 200, out.view());
}

void ReshapeDoor::answer_statistics(const net::HttpRequest& request, net::HttpResponse& response) const {
  StoredWriter out;
  write_statistics(out, catalog_,
                   {.history = request.query.contains("history=true"), .sizes = request.query.contains("sizes=true")});
  answer_json(response, 200, out.view());
}

void ReshapeDoor::handle(const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done) const {
  if (Status verdict = authorize(request); !verdict) {
    answer_error(response, verdict.error());
    return done();
  }
  const std::string_view name = request.path.substr(kAdminPrefix.size());
  if (request.method == "GET" && name == "reshapes") {
    answer_reshapes(response);
    return done();
  }
  if (request.method == "GET" && name == "statistics") {
    return run_by_worker(workers_, response, std::move(done),
                         [this, &request, &response] { answer_statistics(request, response); });
  }
  if (request.method == "POST" && name == "reset-budgets") {
    catalog_.reset_budgets();
    response.status = 204;
    return done();
  }
  for (const Order& order : kOrders) {
    if (request.method != "POST" || name != order.name) continue;
    // Shared, because a refused task is still needed to say so.
    auto told = std::make_shared<net::HttpDone>(std::move(done));
    std::move_only_function<void()> task = [&order, this, &request, &response, told] {
      const auto carry_out = [&]() -> Result<Answer> {
        TRY_ASSIGN(const std::string body, stored_from_json(request.body));
        return order.carry_out(catalog_, reshaper_, Value::view(body));
      };
      Result<Answer> answer = carry_out();
      if (answer) {
        response.status = 200;
        response.header("Content-Type", answer->content_type);
        response.body = std::move(answer->body);
      } else {
        answer_error(response, answer.error());
      }
      (*told)();
    };
    if (reshaper_.post(task)) return;
    answer_error(response, {ErrorCode::kUnavailable, "Too many orders wait already; try again later."});
    return (*told)();
  }
  answer_error(response, {ErrorCode::kNotFound, fmt::format("There is no {} {}.", request.method, request.path)});
  done();
}

}  // namespace partita::server
