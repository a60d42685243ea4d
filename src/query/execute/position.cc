#include "query/execute/position.h"

namespace partita::query {

void append_sort_key(std::string& out, const Datum& value, bool is_descending) {
  size_t start = out.size();
  append_key_form(out, value);
  if (!is_descending) return;
  for (size_t i = start; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

ScanStart scan_start(const Plan& plan, bool is_source_sorted) {
  bool is_over_rows = !plan.sources.empty() && plan.sources.front().kind == Source::Kind::kRows;
  bool is_sorting = !plan.order.empty() && (is_over_rows || !is_source_sorted);
  if (plan.grouping || plan.is_distinct || is_sorting || plan.ranking) return ScanStart::kBeginning;
  return is_over_rows ? scan_start(*plan.sources.front().plan, is_source_sorted) : ScanStart::kPosition;
}

}  // namespace partita::query
