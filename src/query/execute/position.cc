#include "query/execute/position.h"

#include "document/key/key_form.h"

namespace partita::query {

void append_sort_key(std::string& out, const Datum& value, bool is_descending) {
  size_t start = out.size();
  append_key_form(out, value);
  if (!is_descending) return;
  for (size_t i = start; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

namespace {

// Whether the bytes are sort keys in these directions, and nothing else.
bool are_sort_keys(std::string_view bytes, const std::vector<bool>& directions) {
  for (const bool is_descending : directions) {
    std::string form(bytes);
    if (is_descending) {
      for (char& byte : form) byte = static_cast<char>(~byte);
    }
    const std::optional<size_t> length = first_key_form_bytes(form);
    if (!length) return false;
    bytes.remove_prefix(*length);
  }
  return bytes.empty();
}

// The best rank comes first.
std::vector<bool> sort_directions(const Plan& plan) {
  if (plan.ranking) return {true};
  std::vector<bool> directions;
  for (const SortKey& key : plan.order) directions.push_back(key.is_descending);
  return directions;
}

// The plan whose rows this one reads; null when it reads none.
const Plan* plan_of_rows(const Plan& plan) {
  const bool is_over_rows = !plan.sources.empty() && plan.sources.front().kind == Source::Kind::kRows;
  return is_over_rows ? plan.sources.front().plan.get() : nullptr;
}

// Whether rows can come from groups: a row of a sub-query keeps its origin.
bool has_groups(const Plan& plan) {
  const Plan* rows = plan_of_rows(plan);
  return plan.grouping || (rows != nullptr && has_groups(*rows));
}

}  // namespace

bool is_position_in(const Plan& plan, const Position& position) {
  if (position.skipped > plan.offset) return false;
  if (plan.limit && position.taken > *plan.limit) return false;
  if (!position.order.empty() && !are_sort_keys(position.order, sort_directions(plan))) return false;
  if (!position.origin.group.empty() && !has_groups(plan)) return false;
  if (position.inner == nullptr) return true;
  const Plan* rows = plan_of_rows(plan);
  return rows != nullptr && is_position_in(*rows, *position.inner);
}

ScanStart scan_start(const Plan& plan, bool is_source_sorted) {
  bool is_over_rows = !plan.sources.empty() && plan.sources.front().kind == Source::Kind::kRows;
  bool is_sorting = !plan.order.empty() && (is_over_rows || !is_source_sorted);
  if (plan.grouping || plan.is_distinct || is_sorting || plan.ranking) return ScanStart::kBeginning;
  return is_over_rows ? scan_start(*plan.sources.front().plan, is_source_sorted) : ScanStart::kPosition;
}

}  // namespace partita::query
