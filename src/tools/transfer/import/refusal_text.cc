#include "tools/transfer/import/refusal_text.h"

#include "document/json/json.h"

#include <fmt/format.h>

namespace partita::tools::transfer {

std::string refusal_text(const Refusal& refusal) {
  std::string text = "{";
  const auto add = [&](std::string_view name, std::string_view value) {
    append_json_string(text, name);
    text += ':';
    append_json_string(text, value);
    text += ',';
  };
  if (!refusal.file.empty()) add("file", refusal.file);
  if (refusal.line > 0) text += fmt::format(R"("line":{},)", refusal.line);
  if (!refusal.id.empty()) add("id", refusal.id);
  if (refusal.status != 0) text += fmt::format(R"("status":{},)", refusal.status);
  add("reason", refusal.reason);
  text.back() = '}';
  return text + "\n";
}

}  // namespace partita::tools::transfer
