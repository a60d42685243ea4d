#include "script/script_failure.h"

#include <charconv>
#include <string_view>

namespace partita::script {
namespace {

constexpr std::string_view kExecuting = "Encountered exception while executing function. Exception = ";
constexpr std::string_view kCompiling = "Encountered exception while compiling Javascript. Exception = ";
constexpr std::string_view kBeforeNumber = "\r\nError number: ";

}  // namespace

Error script_failure(const Message& failed) {
  const std::string_view kind = failed.field(0);
  const std::string_view number = failed.field(1);
  std::string text(failed.field(2));
  if (kind == "time") return {ErrorCode::kTimeout, std::move(text)};
  if (kind == "compile") return {ErrorCode::kInvalidInput, std::string(kCompiling) + text};
  if (kind != "error") return {ErrorCode::kInvalidInput, std::move(text)};
  text.insert(0, kExecuting);
  if (!number.empty()) text.append(kBeforeNumber).append(number);
  return {ErrorCode::kInvalidInput, std::move(text)};
}

std::optional<int> thrown_number(const Error& error) {
  const std::string_view text = error.message;
  const size_t at = text.rfind(kBeforeNumber);
  if (error.code != ErrorCode::kInvalidInput || !text.starts_with(kExecuting) || at == text.npos) return std::nullopt;
  int number = 0;
  const auto [stop, problem] = std::from_chars(text.data() + at + kBeforeNumber.size(), text.data() + text.size(), number);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_compile_failure(const Error& error) {
  return error.code == ErrorCode::kInvalidInput && error.message.starts_with(kCompiling);
}

}  // namespace partita::script
