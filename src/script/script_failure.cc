#include "script/script_failure.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace partita::script {
namespace {

constexpr std::string_view kExecuting = "Encountered exception while executing function. Exception = ";
constexpr std::string_view kCompiling = "Encountered exception while compiling Javascript. Exception = ";

// Of an error that a script threw and nobody caught: new Error(409, "taken").
std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Error script_failure(const Message& failed) {
  const std::string_view kind = failed.field(0);
  std::string text(failed.field(2));
  if (kind == "time") return {ErrorCode::kTimeout, std::move(text)};
  if (kind == "compile") return {ErrorCode::kInvalidInput, std::string(kCompiling) + text, ErrorDetail::kNoFunction};
  if (kind != "error") return {ErrorCode::kInvalidInput, std::move(text)};
  text.insert(0, kExecuting);
  const std::optional<int> number = number_in(failed.field(1));
  if (!number) return {ErrorCode::kInvalidInput, std::move(text)};
  text += "\r\nError number: " + std::to_string(*number);
  return {ErrorCode::kInvalidInput, std::move(text), ErrorDetail::kThrown, *number};
}

}  // namespace partita::script
