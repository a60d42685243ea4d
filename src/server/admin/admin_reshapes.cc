#include "server/admin/admin_api.h"

#include "base/encodings.h"
#include "cluster/records/key_definition.h"
#include "cluster/records/records.h"
#include "document/json/definition_json.h"
#include "tools/plan/plan_split.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace partita::server {
namespace {

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
  if (!found.is_string()) return fail(ErrorCode::kInvalidInput, fmt::format("The body must have a string '{}'.", name));
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
  return reshaper.rekey(database, container, key, mode, order.find("computedProperties"));
}

Result<std::vector<std::string>> paths_in(const Value& key) {
  std::vector<std::string> paths;
  for (size_t i = 0; key.is_array() && i < key.size(); ++i) {
    if (!key.element(i).is_string()) return fail(ErrorCode::kInvalidInput, "A path of the partition key is not a string.");
    paths.emplace_back(key.element(i).string());
  }
  return paths;
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
  const Value keys = order.find("partitionKeys");
  for (size_t i = 0; keys.is_array() && i < keys.size(); ++i) {
    TRY_ASSIGN(std::vector<std::string> paths, paths_in(keys.element(i)));
    options.candidates.push_back(std::move(paths));
  }
  if (const Value computed = order.find("computedProperties"); !computed.is_undefined())
    options.computed_properties = computed.bytes();
  const Value merge = order.find("merge");
  options.limits.merges = merge.is_bool() && merge.boolean();
  return options;
}

// Reads the body of the request and carries out what it orders.
template <Result<ReshapeReport> (*kReshape)(Reshaper&, const Value&)>
void answer_reshape(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response) {
  const auto carry_out = [&]() -> Result<ReshapeReport> {
    TRY_ASSIGN(const std::string order, definition_from_json(request.body));
    return kReshape(api.parts().reshaper, Value::view(order));
  };
  const Result<ReshapeReport> report = carry_out();
  if (!report) return answer_error(response, report.error());
  StoredWriter out;
  write_report(out, *report);
  answer_json(response, out.view());
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

void answer_reshapes(const AdminApi& api, const net::HttpRequest& /*request*/, net::HttpResponse& response, Turn* /*turn*/) {
  StoredWriter out;
  out.begin_object();
  out.key("reshapes");
  out.begin_array();
  for (const Reshape& reshape : api.parts().catalog.reshapes().list()) write_reshape(out, reshape);
  out.end_array();
  out.end_object();
  answer_json(response, out.view());
}

void answer_split(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* /*turn*/) {
  answer_reshape<split>(api, request, response);
}

void answer_merge(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* /*turn*/) {
  answer_reshape<merge>(api, request, response);
}

void answer_rekey(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* /*turn*/) {
  answer_reshape<rekey>(api, request, response);
}

void answer_plan(const AdminApi& api, const net::HttpRequest& request, net::HttpResponse& response, Turn* turn) {
  bool is_json = false;
  const auto make_plan = [&]() -> Result<tools::Plan> {
    TRY_ASSIGN(const std::string order, definition_from_json(request.body));
    const Value json = Value::view(order).find("json");
    is_json = json.is_bool() && json.boolean();
    TRY_ASSIGN(tools::PlanOptions options, plan_options(Value::view(order)));
    TRY_ASSIGN(const auto planning, api.begin_plan());
    options.bytes_max = api.terms().plan_bytes_max;
    options.turn = turn;
    return tools::plan_split(api.parts().catalog, options);
  };
  const Result<tools::Plan> plan = make_plan();
  if (!plan) return answer_error(response, plan.error());
  if (!is_json) return answer_text(response, 200, "text/plain; charset=utf-8", tools::plan_text(*plan));
  StoredWriter out;
  tools::write_plan(out, *plan);
  answer_json(response, out.view());
}

}  // namespace partita::server
