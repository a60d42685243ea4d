#include "access/cursors/ordered_cursor.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace partita {
namespace {

// The position is behind a row, which may have to be read again; what lies before it is dropped by whoever runs the plan.
std::optional<OrderedStart> start_of(const query::Position* from, const query::IndexOrder& order) {
  if (from == nullptr || from->order.empty()) return std::nullopt;
  OrderedStart start{from->order, DocumentNumber{from->origin.number}};
  if (order.is_descending) {
    for (char& byte : start.key_form) byte = static_cast<char>(~byte);
  }
  return start;
}

}  // namespace

OrderedCursor::OrderedCursor(PartitionView view, OrderedUse use, const ScopeTest& scope, const query::Position* from,
                             const query::Environment& environment)
    : use_(std::move(use)),
      scope_(scope),
      entries_(std::move(view), use_.order, use_.range, start_of(from, use_.order), environment) {}

bool OrderedCursor::is_before(const OrderedCursor& other) const {
  const int order = entries_.key_form().compare(other.entries_.key_form());
  const bool is_less = order != 0 ? order < 0 : number() < other.number();
  return is_less != use_.order.is_descending;
}

Result<Value> OrderedCursor::document() {
  if (!use_.filter.may_pass(number())) return Value();
  TRY_ASSIGN(const std::string_view record, entries_.record());
  if (record.empty()) return Value();
  TRY_ASSIGN(const Value document, document_of_record(number(), record));
  if (!scope_.passes(document)) return Value();
  ++documents_;
  document_bytes_ = record.size();
  return document;
}

std::string OrderedCursor::use_text() const {
  const query::IndexOrder& order = use_.order;
  const std::string text = order.is_composite()
                               ? fmt::format("{} in order", query::to_text(order))
                               : fmt::format("{} in order{}", to_text(order.path), order.is_descending ? ", backwards" : "");
  const std::string& known = use_.filter.text();
  return known.empty() ? text : fmt::format("{}, known: {}", text, known);
}

}  // namespace partita
