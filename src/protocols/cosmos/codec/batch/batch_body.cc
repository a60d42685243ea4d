#include "protocols/cosmos/codec/batch/batch_body.h"

#include "document/json/json.h"
#include "partition/charge/throttling.h"
#include "protocols/cosmos/errors.h"

#include <fmt/format.h>

#include <array>

namespace partita::cosmos {
namespace {

struct VerbName {
  std::string_view name;
  ItemVerb verb;
};
constexpr std::array<VerbName, 6> kVerbNames = {{{"Create", ItemVerb::kCreate},
                                                 {"Upsert", ItemVerb::kUpsert},
                                                 {"Read", ItemVerb::kRead},
                                                 {"Replace", ItemVerb::kReplace},
                                                 {"Delete", ItemVerb::kErase},
                                                 {"Patch", ItemVerb::kPatch}}};

std::unexpected<Error> invalid(std::string message) { return fail(ErrorCode::kInvalidInput, std::move(message)); }

Result<ItemVerb> verb_of(const Value& operation) {
  const Value type = operation.find("operationType");
  if (!type.is_string()) return invalid("Every operation of a batch needs an 'operationType'.");
  for (const VerbName& candidate : kVerbNames) {
    if (candidate.name == type.string()) return candidate.verb;
  }
  return invalid(fmt::format("A batch has no operation '{}'.", type.string()));
}

// Empty when the member is missing or null.
Result<std::string> text_of(const Value& operation, std::string_view name) {
  const Value text = operation.find(name);
  if (text.is_undefined() || text.is_null()) return std::string();
  if (!text.is_string()) return invalid(fmt::format("The '{}' of an operation must be a string.", name));
  return std::string(text.string());
}

Result<BatchStep> parse_step(const Value& value) {
  if (!value.is_object()) return invalid("Every operation of a batch must be an object.");
  BatchStep step;
  ItemOperation& operation = step.operation;
  TRY_ASSIGN(operation.verb, verb_of(value));
  TRY_ASSIGN(operation.id, text_of(value, "id"));
  TRY_ASSIGN(operation.if_match, text_of(value, "ifMatch"));
  TRY_ASSIGN(step.if_none_match, text_of(value, "ifNoneMatch"));
  TRY_ASSIGN(const std::string key, text_of(value, "partitionKey"));
  if (!key.empty()) {
    TRY_ASSIGN(operation.key, PartitionKey::parse(key));
  }
  const bool creates = operation.verb == ItemVerb::kCreate || operation.verb == ItemVerb::kUpsert;
  if (!creates && operation.id.empty()) return invalid("An operation on an existing document needs its 'id'.");
  const bool needs_body = operation.verb != ItemVerb::kRead && operation.verb != ItemVerb::kErase;
  operation.body = value.find("resourceBody");
  if (needs_body && value.find("resourceBody").is_undefined()) return invalid("An operation lacks its 'resourceBody'.");
  const Value minimal = value.find("minimalReturnPreference");
  step.wants_document = !(minimal.is_bool() && minimal.boolean());
  return step;
}

int success_status(const BatchStepOutcome& step) {
  switch (step.verb) {
    case ItemVerb::kCreate: return 201;
    case ItemVerb::kUpsert: return step.was_created ? 201 : 200;
    case ItemVerb::kErase: return 204;
    case ItemVerb::kRead: return step.is_unchanged ? 304 : 200;
    case ItemVerb::kReplace:
    case ItemVerb::kPatch: return 200;
  }
  return 200;
}

void append_outcome(std::string& out, const BatchStepOutcome& step) {
  const StepStatus status = step_status(step);
  out += fmt::format(R"({{"statusCode":{},"requestCharge":{})", status.status, step.charge);
  if (status.sub_status != 0) out += fmt::format(R"(,"subStatusCode":{})", status.sub_status);
  if (step.error) {
    if (const auto wait_ms = retry_after_ms(*step.error)) out += fmt::format(R"(,"retryAfterMilliseconds":{})", *wait_ms);
    out += R"(,"message":)";
    append_json_string(out, wire_message(*step.error));
  } else if (!step.item.record.empty()) {
    out += R"(,"eTag":)";
    append_json_string(out, step.item.etag());
    if (step.wants_document && !step.is_unchanged) {
      out += R"(,"resourceBody":)";
      append_json(out, step.item.document());
    }
  }
  out += '}';
}

}  // namespace

Status check_batch_size(size_t operations) {
  if (operations == 0) return invalid("Batch request has no operations.");
  if (operations <= kBatchOperationsMax) return {};
  return invalid(fmt::format("Batch request has more operations than what is supported. It has {}, the limit is {}.", operations,
                             kBatchOperationsMax));
}

Status parse_batch_json(std::string_view json, BatchBody& body) {
  TRY_ASSIGN(body.stored, stored_from_json(json));
  const Value operations = Value::view(body.stored);
  if (!operations.is_array()) return invalid("The body of a batch must be an array of operations.");
  TRY(check_batch_size(operations.size()));
  for (size_t i = 0; i < operations.size(); ++i) {
    TRY_ASSIGN(BatchStep step, parse_step(operations.element(i)));
    body.steps.push_back(std::move(step));
  }
  return {};
}

void append_batch_json(std::string& out, const BatchOutcome& outcome) {
  out += '[';
  for (size_t i = 0; i < outcome.steps.size(); ++i) {
    if (i > 0) out += ',';
    append_outcome(out, outcome.steps[i]);
  }
  out += ']';
}

StepStatus step_status(const BatchStepOutcome& step) {
  constexpr int kFailedDependency = 424;
  if (step.error) {
    const WireError wire = wire_error(*step.error);
    return {wire.status, wire.sub_status};
  }
  if (!step.was_run) return {kFailedDependency, 0};
  return {success_status(step), 0};
}

}  // namespace partita::cosmos
