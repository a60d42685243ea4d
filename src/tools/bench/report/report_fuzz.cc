#include "base/check.h"
#include "tools/bench/report/compare.h"
#include "tools/bench/report/report.h"
#include "tools/bench/report/report_html.h"
#include "tools/bench/report/report_text.h"

#include <cstddef>
#include <cstdint>

// Whatever is accepted as a report can be shown in all ways.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  using namespace partita::tools::bench;
  const Result<Report> report = parse_report({reinterpret_cast<const char*>(data), size});
  if (!report) return 0;
  CHECK(!report_text(*report).empty());
  CHECK(!live_text(*report, "measuring").empty());
  CHECK(!report_html(*report).empty());
  CHECK(!comparison_text(*report, *report).empty());
  CHECK(parse_report(report_json(*report)));
  return 0;
}
