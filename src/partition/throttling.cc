#include "partition/throttling.h"

#include <fmt/format.h>

#include <charconv>

namespace partita {
namespace {

constexpr std::string_view kBeforeTime = " Retry after ms: ";

}  // namespace

std::unexpected<Error> throttled(int64_t wait_us) {
  // Rounded up: a client that comes back then is admitted.
  return fail(ErrorCode::kThrottled,
              fmt::format("Request rate is large. More Request Units may be needed, so no changes were made. Please retry this "
                          "request later. Learn more: http://aka.ms/cosmosdb-error-429{}{}",
                          kBeforeTime, (wait_us + 999) / 1000));
}

std::optional<int64_t> retry_after_ms(const Error& error) {
  const size_t at = error.message.rfind(kBeforeTime);
  if (error.code != ErrorCode::kThrottled || at == std::string::npos) return std::nullopt;
  const char* end = error.message.data() + error.message.size();
  int64_t milliseconds = 0;
  const auto [stop, problem] = std::from_chars(error.message.data() + at + kBeforeTime.size(), end, milliseconds);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return milliseconds;
}

}  // namespace partita
