#include "client/items/batch.h"

#include "client/header_names.h"
#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::client {
namespace {

std::string_view name_of(BatchOperation::Kind kind) {
  switch (kind) {
    case BatchOperation::Kind::kCreate: return "Create";
    case BatchOperation::Kind::kUpsert: return "Upsert";
    case BatchOperation::Kind::kReplace: return "Replace";
    case BatchOperation::Kind::kRead: return "Read";
    case BatchOperation::Kind::kDelete: return "Delete";
    case BatchOperation::Kind::kPatch: return "Patch";
  }
  return "";
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  out.append(",\"").append(key).append("\":");
  append_json_string(out, text);
}

std::string body_of(std::span<const BatchOperation> operations, bool has_keys) {
  std::string body = "[";
  for (const BatchOperation& operation : operations) {
    body.append(body.size() > 1 ? ",{" : "{").append("\"operationType\":\"").append(name_of(operation.kind)).append("\"");
    if (!operation.id.empty()) append_member(body, "id", operation.id);
    if (!operation.if_match.empty()) append_member(body, "ifMatch", operation.if_match);
    if (has_keys) append_member(body, "partitionKey", operation.key.to_json());
    if (!operation.document.empty()) body.append(",\"resourceBody\":").append(operation.document);
    body += '}';
  }
  body += ']';
  return body;
}

Request batch_request(const ContainerName& name, std::string body, bool is_atomic) {
  Request request{.method = "POST",
                  .path = name.path() + "/docs",
                  .resource_type = "docs",
                  .resource_link = name.link(),
                  .body = std::move(body),
                  .session = name};
  request.with(header::kIsBatch, "True").with(header::kIsBatchAtomic, is_atomic ? "True" : "False");
  request.with(header::kContentType, "application/json");
  return request;
}

BatchResult read_result(const Value& json) {
  BatchResult result;
  const auto number = [&](std::string_view key) {
    const Value found = json.find(key);
    return found.is_number() ? found.number() : 0.0;
  };
  const auto integer = [&](std::string_view key) {
    const Value found = json.find(key);
    return found.is_number() ? found.integer().value_or(0) : 0;
  };
  result.status = static_cast<int>(integer("statusCode"));
  result.sub_status = static_cast<int>(integer("subStatusCode"));
  result.charge = number("requestCharge");
  result.retry_after_ms = std::clamp<int64_t>(integer("retryAfterMilliseconds"), 0, kRetryAfterMsMax);
  if (const Value etag = json.find("eTag"); etag.is_string()) result.etag = etag.string();
  if (const Value document = json.find("resourceBody"); !document.is_null()) result.document = to_json(document);
  return result;
}

}  // namespace

Request batch_items(const ContainerName& name, const PartitionKey& key, std::span<const BatchOperation> operations) {
  return batch_request(name, body_of(operations, false), true).with(header::kPartitionKey, key.to_json());
}

Request bulk_items(const ContainerName& name, std::string range_id, std::span<const BatchOperation> operations) {
  return batch_request(name, body_of(operations, true), false)
      .with(header::kBatchContinueOnError, "True")
      .with(header::kRangeId, std::move(range_id));
}

Result<std::vector<BatchResult>> batch_results(const Response& response) {
  const Result<std::string> stored = stored_from_json(response.body());
  if (!stored || !Value::view(*stored).is_array())
    return fail(ErrorCode::kInternal, "the server's answer to a batch cannot be read");
  const Value array = Value::view(*stored);
  std::vector<BatchResult> results;
  for (size_t index = 0; index < array.size(); ++index) results.push_back(read_result(array.element(index)));
  return results;
}

}  // namespace partita::client
