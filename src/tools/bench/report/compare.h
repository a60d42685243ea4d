#pragma once

#include "tools/bench/report/report.h"

#include <string>
#include <vector>

namespace partita::tools::bench {

// What two runs differ in. A difference counts when it is larger than what the seconds of the runs differ among themselves.
struct Difference {
  enum class Verdict { kNoise, kBetter, kWorse, kUnknown };  // of the second run

  std::string name;
  double first = 0;
  double second = 0;
  bool is_latency = false;              // in microseconds
  Verdict verdict = Verdict::kUnknown;  // kUnknown: the runs do not say how much it varies

  // The second, as a multiple of the first less one.
  double change() const { return first == 0 ? 0 : second / first - 1; }
};
std::vector<Difference> compare(const Report& first, const Report& second);

// Both side by side, for a terminal; what was set differently first.
std::string comparison_text(const Report& first, const Report& second);
std::string comparison_json(const Report& first, const Report& second);

}  // namespace partita::tools::bench
