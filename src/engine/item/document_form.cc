#include "engine/item/document_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {
namespace {

constexpr std::array<std::string_view, 4> kNeverIndexed = {system_property::kResourceId, system_property::kSelfLink,
                                                           system_property::kVersion, system_property::kAttachments};
constexpr std::array<std::string_view, 2> kOrders = {"json", "extended"};  // by ValueOrder

std::unexpected<Error> no_form(std::string_view what) {
  return fail(ErrorCode::kCorruption, fmt::format("a container's document form cannot be decoded: {}", what));
}

}  // namespace

bool DocumentForm::is_system_property(std::string_view name) const {
  return has_system_properties && std::ranges::find(system_property::kAll, name) != system_property::kAll.end();
}

bool DocumentForm::is_never_indexed(std::string_view name) const {
  return has_system_properties && std::ranges::find(kNeverIndexed, name) != kNeverIndexed.end();
}

Result<DocumentForm> DocumentForm::parse(const Value& form) {
  if (form.is_undefined()) return DocumentForm();
  const Value system_properties = form.find("systemProperties");
  const Value order = form.find("order");
  const Value bytes_max = form.find("bytesMax");
  if (!system_properties.is_bool()) return no_form("'systemProperties' is not true or false");
  const auto named = order.is_string() ? std::ranges::find(kOrders, order.string()) : kOrders.end();
  if (named == kOrders.end()) return no_form("'order' is none that this version knows");
  const int64_t bytes = bytes_max.is_number() ? bytes_max.integer().value_or(0) : 0;
  if (bytes < 1 || bytes > static_cast<int64_t>(kBytesMax)) return no_form("'bytesMax' is out of range");
  return DocumentForm{.has_system_properties = system_properties.boolean(),
                      .order = static_cast<ValueOrder>(named - kOrders.begin()),
                      .bytes_max = static_cast<size_t>(bytes)};
}

void DocumentForm::write_to(StoredWriter& out) const {
  out.begin_object();
  out.key("systemProperties");
  out.boolean(has_system_properties);
  out.key("order");
  out.string(kOrders[static_cast<size_t>(order)]);
  out.key("bytesMax");
  out.integer(static_cast<int64_t>(bytes_max));
  out.end_object();
}

}  // namespace partita
