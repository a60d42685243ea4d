#include "gateway/query_functions.h"

#include "document/json.h"

#include <fmt/format.h>

namespace partita {

Result<ScriptPtr> QueryFunctions::find(std::string_view name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  Result<ScriptPtr> found = catalog_.script(container_, ScriptType::kUserFunction, {.id = name, .number = std::nullopt});
  if (!found) {
    return fail(ErrorCode::kInvalidQuery,
                fmt::format("The user defined function 'udf.{}' does not exist in this container.", name));
  }
  known_.emplace(name, *found);
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
