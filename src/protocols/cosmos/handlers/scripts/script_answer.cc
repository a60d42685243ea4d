#include "protocols/cosmos/handlers/scripts/script_answer.h"

#include "base/check.h"
#include "base/encodings.h"
#include "document/json/utf8.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/codec/resource_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr std::array<std::string_view, 6> kOwnMembers = {"id", "body", "_rid", "_self", "_etag", "_ts"};

ContainerChild child_of(ScriptType type) {
  switch (type) {
    case ScriptType::kStoredProcedure: return ContainerChild::kStoredProcedure;
    case ScriptType::kTrigger: return ContainerChild::kTrigger;
    case ScriptType::kUserFunction: return ContainerChild::kUserDefinedFunction;
  }
  return ContainerChild::kStoredProcedure;
}

Status check_trigger(const Value& body) {
  const auto is_one_of = [&](std::string_view property, std::initializer_list<std::string_view> allowed) {
    const Value value = body.find(property);
    return value.is_string() && std::ranges::any_of(allowed, [&](std::string_view one) {
             return net::equal_without_case(value.string(), one);  // clients spell them in their own ways
           });
  };
  if (!is_one_of("triggerType", {"Pre", "Post"})) {
    return fail(ErrorCode::kInvalidInput, "The input content is invalid: 'triggerType' must be Pre or Post.");
  }
  if (!is_one_of("triggerOperation", {"All", "Create", "Update", "Delete", "Replace", "Upsert"})) {
    return fail(ErrorCode::kInvalidInput,
                "The input content is invalid: 'triggerOperation' must be All, Create, Update, Delete, Replace or Upsert.");
  }
  return {};
}

void text(StoredWriter& out, std::string_view key, std::string_view value) {
  out.key(key);
  out.string(value);
}

}  // namespace

ScriptType script_type(ResourceKind kind) {
  if (kind == ResourceKind::kTrigger) return ScriptType::kTrigger;
  if (kind == ResourceKind::kUserDefinedFunction) return ScriptType::kUserFunction;
  CHECK(kind == ResourceKind::kStoredProcedure);
  return ScriptType::kStoredProcedure;
}

std::string_view script_feed_name(ScriptType type) {
  switch (type) {
    case ScriptType::kStoredProcedure: return "StoredProcedures";
    case ScriptType::kTrigger: return "Triggers";
    case ScriptType::kUserFunction: return "UserDefinedFunctions";
  }
  return "";
}

ResourceName script_name(const ResourcePath& path, const Container& container) {
  ResourceName name{.id = path.name(), .number = std::nullopt};
  if (!path.is_resource_id_shaped()) return name;
  const auto rid = parse_child_rid(name.id, child_of(script_type(path.kind())));
  if (rid && rid->container == ContainerRid{container.database->number, container.number}) name.number = rid->ordinal;
  return name;
}

Result<ScriptDefinition> parse_script(const Value& body, ScriptType type) {
  const Value id = body.find("id");
  const Value source = body.find("body");
  if (!id.is_string() || !source.is_string()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The input content is invalid because the required properties - '{}{}' - are missing",
                            id.is_string() ? "" : "id; ", source.is_string() ? "" : "body; "));
  }
  if (type == ScriptType::kTrigger) TRY(check_trigger(body));
  ScriptDefinition definition;
  definition.id = id.string();
  definition.body = source.string();
  definition.properties = properties_besides(body, kOwnMembers);
  return definition;
}

void write_script(StoredWriter& out, const ScriptResource& script) {
  const ContainerChildRid rid{.container = {.database = script.database, .container = script.container},
                              .type = child_of(script.type),
                              .ordinal = script.number};
  std::string self_link;
  append_self_link(self_link, rid);
  out.begin_object();
  text(out, "id", script.definition.id);
  text(out, "body", script.definition.body);
  const Value properties = Value::view(script.definition.properties);
  for (size_t i = 0; i < properties.size(); ++i) {
    out.key(properties.member(i).key);
    out.value(properties.member(i).value);
  }
  text(out, "_rid", rid_text(rid));
  text(out, "_self", self_link);
  text(out, "_etag", script.revision.etag);
  out.key("_ts");
  out.integer(script.revision.unix_seconds);
  out.end_object();
}

void add_script_log(Exchange& exchange, std::string_view log) {
  if (log.empty()) return;
  const std::string text = repaired_utf8(log);  // it was cut, too
  std::string encoded = percent_encode(text);
  for (size_t bytes = text.size(); encoded.size() > kScriptLogHeaderBytesMax;) {
    bytes = bytes * kScriptLogHeaderBytesMax / encoded.size();
    encoded = percent_encode(utf8_prefix(text, bytes));
  }
  exchange.response().header(header::kScriptLog, encoded);
}

void answer_script(Exchange& exchange, const Container& container, const Result<ScriptPtr>& script, int status) {
  if (!script) return exchange.answer_error(script.error());
  StoredWriter out;
  write_script(out, **script);
  exchange.set_etag((*script)->revision.etag);
  exchange.set_owner(container);
  exchange.answer_json(status, out.view());
}

}  // namespace partita::cosmos
