#include "tools/transfer/command/report.h"

#include "document/json/json.h"
#include "tools/transfer/progress/terminal_watch.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>

namespace partita::tools::transfer {
namespace {

std::string documents_text(uint64_t count) { return fmt::format("{} document{}", count, count == 1 ? "" : "s"); }

std::string sum_text(const ContentSum& sum, Verify kind) {
  return kind == Verify::kFull ? fmt::format("{}, checksum {}", documents_text(sum.documents), sum.text())
                               : documents_text(sum.documents);
}

std::string verification_text(const Verification& verification) {
  if (verification.kind == Verify::kNone) return "not verified (--verify none)\n";
  if (!verification.not_possible.empty()) return fmt::format("not verified: {}\n", verification.not_possible);
  if (verification.is_equal()) {
    std::string text = fmt::format("verified: {}", sum_text(verification.found, verification.kind));
    if (verification.replaced > 0)
      text += fmt::format(", their number only: {} replaced others, so that no sum can be foretold", verification.replaced);
    if (verification.tolerance > 0) text += fmt::format(" (and {} of them may have been new)", verification.tolerance);
    return text + "\n";
  }
  return fmt::format("DIFFERENT: expected {}\n              found {}\n", sum_text(verification.expected, verification.kind),
                     sum_text(verification.found, verification.kind));
}

std::string sum_json(const ContentSum& sum, Verify kind) {
  return kind == Verify::kFull ? fmt::format(R"({{"documents":{},"checksum":"{}"}})", sum.documents, sum.text())
                               : fmt::format(R"({{"documents":{}}})", sum.documents);
}

std::string verification_json(const Verification& verification) {
  if (verification.kind == Verify::kNone) return R"({"kind":"none"})";
  const std::string_view kind = verification.kind == Verify::kFull ? "full" : "count";
  if (!verification.not_possible.empty()) {
    std::string reason;
    append_json_string(reason, verification.not_possible);
    return fmt::format(R"({{"kind":"{}","notPossible":{}}})", kind, reason);
  }
  return fmt::format(R"({{"kind":"{}","expected":{},"found":{},"tolerance":{},"isEqual":{}}})", kind,
                     sum_json(verification.expected, verification.kind), sum_json(verification.found, verification.kind),
                     verification.tolerance, verification.is_equal());
}

}  // namespace

bool Verification::is_equal() const {
  if (!not_possible.empty()) return true;
  if (kind == Verify::kFull) return expected == found;
  const uint64_t difference = std::max(expected.documents, found.documents) - std::min(expected.documents, found.documents);
  return difference <= tolerance;
}

std::string Report::text() const {
  const double rate = seconds > 0 ? static_cast<double>(documents_now) / seconds : 0;
  std::string text = fmt::format("{} {}", what, documents_text(tally.stored.documents + tally.replaced));
  if (tally.replaced > 0) text += fmt::format(" ({} replaced others)", tally.replaced);
  if (tally.skipped > 0) text += fmt::format(", skipped {}", tally.skipped);
  if (tally.refused > 0) text += fmt::format(", {} REFUSED", tally.refused);
  text += fmt::format("\n{:.1f} s{}, {} documents/s, {} RU, {} throttles, {} MB of memory at most\n", seconds,
                      is_resumed ? " since it was resumed" : "", short_number(rate), short_number(request_units),
                      short_number(static_cast<double>(throttles)), peak_bytes >> 20);
  return text + verification_text(verification);
}

std::string Report::json() const {
  return fmt::format(
      R"({{"documents":{},"stored":{},"replaced":{},"skipped":{},"refused":{},"seconds":{:.3f},"documentsPerSecond":{:.0f},)"
      R"("requestUnits":{:.2f},"throttles":{},"isResumed":{},"peakMemoryBytes":{},"verification":{},"isSuccess":{}}})"
      "\n",
      tally.documents(), tally.stored.documents, tally.replaced, tally.skipped, tally.refused, seconds,
      seconds > 0 ? static_cast<double>(documents_now) / seconds : 0, request_units, throttles, is_resumed, peak_bytes,
      verification_json(verification), is_success());
}

uint64_t peak_memory_bytes() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  constexpr uint64_t kUnit = 1024;
  return static_cast<uint64_t>(usage.ru_maxrss) * kUnit;
}

}  // namespace partita::tools::transfer
