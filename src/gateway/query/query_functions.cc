#include "gateway/query/query_functions.h"

#include "document/json/json.h"
#include "query/plan/user_functions.h"

#include <fmt/format.h>

namespace partita {
namespace {

Result<ScriptPtr> function_named(std::string_view name, const Catalog& catalog, const Container& container) {
  Result<ScriptPtr> found = catalog.scripts().find(container, ScriptType::kUserFunction, {.id = name, .number = std::nullopt});
  if (found) return found;
  return fail(ErrorCode::kInvalidQuery,
              fmt::format("The user defined function 'udf.{}' does not exist in this container.", name));
}

}  // namespace

Status check_functions_exist(const query::Plan& plan, const Catalog& catalog, const Container& container) {
  for (const std::string& name : query::user_functions_of(plan)) TRY(function_named(name, catalog, container));
  return {};
}

Result<ScriptPtr> QueryFunctions::find(std::string_view name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  TRY_ASSIGN(ScriptPtr found, function_named(name, catalog_, container_));
  known_.emplace(name, found);
  return found;
}

Result<bool> QueryFunctions::call(std::string_view name, std::span<const query::Datum> arguments, StoredWriter& result) {
  TRY_ASSIGN(const ScriptPtr function, find(name));
  std::string values = "[";
  std::string missing = "[";
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) values += ',';
    if (arguments[i].is_undefined()) {
      values += "null";
      if (missing.size() > 1) missing += ',';
      missing += std::to_string(i);
    } else {
      query::append_json_of(values, arguments[i]);
    }
  }
  values += ']';
  missing += ']';
  TRY_ASSIGN(const std::string json, session_.call(name, function->definition.body, values, missing));
  if (json.empty()) return false;
  TRY(read_json(json, result));
  return true;
}

}  // namespace partita
