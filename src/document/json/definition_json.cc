#include "document/json/definition_json.h"

#include "document/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace partita {

Status check_members_differ(const Value& value) {
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) TRY(check_members_differ(value.element(i)));
    return {};
  }
  if (!value.is_object()) return {};
  std::vector<std::string_view> keys;
  keys.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    const auto [key, member] = value.member(i);
    keys.push_back(key);
    TRY(check_members_differ(member));
  }
  std::ranges::sort(keys);
  const auto repeated = std::ranges::adjacent_find(keys);
  if (repeated == keys.end()) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("The input content is invalid because it has the member '{}' twice.", *repeated));
}

Result<std::string> definition_from_json(std::string_view text) {
  TRY_ASSIGN(std::string stored, stored_from_json(text));
  TRY(check_members_differ(Value::view(stored)));
  return stored;
}

}  // namespace partita
