#include "client/items/item_requests.h"

#include "base/encodings.h"
#include "client/header_names.h"
#include "document/json/json.h"

#include <fmt/format.h>

namespace partita::client {
namespace {

constexpr std::string_view kYes = "True";
constexpr std::string_view kExplain = "x-partita-explain";

Request feed_request(std::string_view method, const ContainerName& name) {
  return {.method = std::string(method),
          .path = name.path() + "/docs",
          .resource_type = "docs",
          .resource_link = name.link(),
          .session = name};
}

Request item_request(std::string_view method, const ContainerName& name, std::string_view id) {
  return {.method = std::string(method),
          .path = fmt::format("{}/docs/{}", name.path(), percent_encode(id)),
          .resource_type = "docs",
          .resource_link = fmt::format("{}/docs/{}", name.link(), id),
          .session = name};
}

Request with_options(Request request, const PartitionKey& key, const ItemOptions& options) {
  request.with(header::kPartitionKey, key.to_json());
  if (!options.if_match.empty()) request.with(header::kIfMatch, options.if_match);
  if (!options.if_none_match.empty()) request.with(header::kIfNoneMatch, options.if_none_match);
  if (!options.wants_body) request.with(header::kPrefer, "return=minimal");
  return request;
}

Request with_body(Request request, std::string_view type, std::string body) {
  request.with(header::kContentType, std::string(type));
  request.body = std::move(body);
  return request;
}

Request with_page(Request request, const FeedScope& scope, const PageOptions& options) {
  if (!scope.range_id.empty()) request.with(header::kRangeId, scope.range_id);
  if (scope.key) request.with(header::kPartitionKey, scope.key->to_json());
  request.with(header::kMaxItemCount, std::to_string(options.items_max));
  request.is_read = true;
  return request;
}

constexpr std::string_view kJson = "application/json";

}  // namespace

Request create_item(const ContainerName& name, const PartitionKey& key, std::string document, const ItemOptions& options) {
  return with_body(with_options(feed_request("POST", name), key, options), kJson, std::move(document));
}

Request upsert_item(const ContainerName& name, const PartitionKey& key, std::string document, const ItemOptions& options) {
  Request request = create_item(name, key, std::move(document), options);
  request.with(header::kIsUpsert, std::string(kYes));
  request.is_repeatable = options.if_match.empty();
  return request;
}

Request replace_item(const ContainerName& name, const PartitionKey& key, std::string_view id, std::string document,
                     const ItemOptions& options) {
  Request request = with_body(with_options(item_request("PUT", name, id), key, options), kJson, std::move(document));
  request.is_repeatable = options.if_match.empty();
  return request;
}

Request patch_item(const ContainerName& name, const PartitionKey& key, std::string_view id, std::string operations,
                   const ItemOptions& options) {
  return with_body(with_options(item_request("PATCH", name, id), key, options), "application/json_patch+json",
                   std::move(operations));
}

Request read_item(const ContainerName& name, const PartitionKey& key, std::string_view id, const ItemOptions& options) {
  return with_options(item_request("GET", name, id), key, options);
}

Request delete_item(const ContainerName& name, const PartitionKey& key, std::string_view id, const ItemOptions& options) {
  return with_options(item_request("DELETE", name, id), key, options);
}

Request execute_procedure(const ContainerName& name, const PartitionKey& key, std::string_view procedure,
                          std::string parameters) {
  Request request{.method = "POST",
                  .path = fmt::format("{}/sprocs/{}", name.path(), percent_encode(procedure)),
                  .resource_type = "sprocs",
                  .resource_link = fmt::format("{}/sprocs/{}", name.link(), procedure),
                  .session = name};
  return with_body(std::move(request).with(header::kPartitionKey, key.to_json()), kJson, std::move(parameters));
}

Request read_items(const ContainerName& name, const FeedScope& scope, const PageOptions& options) {
  Request request = with_page(feed_request("GET", name), scope, options);
  if (!options.continuation.empty()) request.with(header::kContinuation, options.continuation);
  return request;
}

Request read_changes(const ContainerName& name, const FeedScope& scope, const PageOptions& options) {
  Request request = with_page(feed_request("GET", name), scope, options);
  request.with(header::kIncrementalFeed, "Incremental Feed");
  if (!options.continuation.empty()) request.with(header::kIfNoneMatch, options.continuation);
  return request;
}

Request query_page(const ContainerName& name, const FeedScope& scope, std::string body, const PageOptions& options) {
  Request request = with_page(feed_request("POST", name), scope, options);
  request.with(header::kIsQuery, std::string(kYes));
  if (!scope.key) request.with(header::kEnableCrossPartition, std::string(kYes));
  if (!options.continuation.empty()) request.with(header::kContinuation, options.continuation);
  if (options.is_merged_by_server) request.with(header::kFidelity, "extended");
  return with_body(std::move(request), "application/query+json", std::move(body));
}

Request explained_query_page(const ContainerName& name, const FeedScope& scope, std::string body) {
  return query_page(name, scope, std::move(body)).with(kExplain, std::string(kYes));
}

std::string query_body(std::string_view text, std::string_view parameters) {
  std::string body = R"({"query":)";
  append_json_string(body, text);
  if (!parameters.empty()) body.append(R"(,"parameters":)").append(parameters);
  body += '}';
  return body;
}

}  // namespace partita::client
