#include "partition/charge/request_units.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace partita {
namespace {

struct Row {
  double kilobytes;
  double read;
  double write;
};

// Published for documents of these sizes with the default indexing policy.
constexpr std::array<Row, 12> kPublished = {{{1, 1.00, 4.95},
                                             {2, 1.04, 6.29},
                                             {4, 1.14, 6.67},
                                             {8, 1.33, 7.04},
                                             {16, 1.67, 9.52},
                                             {32, 2.19, 11.23},
                                             {64, 4.76, 22.67},
                                             {128, 9.95, 48.19},
                                             {256, 20.28, 98.29},
                                             {512, 40.95, 184.57},
                                             {1024, 145.90, 625},
                                             {2048, 291.80, 1250}}};

// Index entries that the published writes are taken to include, and what each one more or less costs.
constexpr double kPublishedEntries = 20;
constexpr double kEntryWritten = 0.12;
constexpr double kWriteMin = 1.0;

// Not published: chosen so that a page of a hundred 1 KB documents costs about what a tenth of as many point reads do.
constexpr double kPage = 1.0;
constexpr double kDocumentLoaded = 0.05;
constexpr double kKilobyteLoaded = 0.05;
constexpr double kEntryRead = 0.002;
constexpr double kKilobyteOfResult = 0.01;
// Pages have so many steps of evaluation for nothing: those of usual queries. What a thousand more cost, by the time that they
// take.
constexpr uint64_t kStepsIncluded = 200'000;
constexpr double kThousandSteps = 0.05;
// Of a processor: the smallest container (400 RU/s) cannot keep one busy.
constexpr double kScriptMillisecond = 0.5;
// A script is never free, even if its time is too short to be measured.
constexpr double kScriptMin = 1.0;

double from_table(double bytes, double Row::* column) {
  const double kilobytes = bytes / 1024;
  if (kilobytes <= kPublished.front().kilobytes) return kPublished.front().*column;
  const auto above = std::ranges::lower_bound(kPublished, kilobytes, {}, &Row::kilobytes);
  if (above == kPublished.end()) return kPublished.back().*column;
  const Row& high = *above;
  const Row& low = *(above - 1);
  const double share = (kilobytes - low.kilobytes) / (high.kilobytes - low.kilobytes);
  return low.*column + share * (high.*column - low.*column);
}

double mean(uint64_t sum, double count) { return static_cast<double>(sum) / count; }

double lookups(const WorkDone& work) {
  if (work.lookups == 0) return 0;
  const auto count = static_cast<double>(work.lookups);
  return count * from_table(mean(work.lookup_bytes, count), &Row::read);
}

double writes(const WorkDone& work) {
  if (work.writes == 0) return 0;
  const auto count = static_cast<double>(work.writes);
  const double by_size = from_table(mean(work.write_bytes, count), &Row::write);
  const double by_entries = (mean(work.index_entries_written, count) - kPublishedEntries) * kEntryWritten;
  return count * std::max(kWriteMin, by_size + by_entries);
}

double factor_of(ReadPrice reads) { return reads == ReadPrice::kDouble ? 2 : 1; }

}  // namespace

double rounded_charge(double units) { return std::round(units * 100) / 100; }

PageCharge page_charge(const WorkDone& work, ReadPrice reads) {
  const double factor = factor_of(reads);
  return {.page = factor * kPage * static_cast<double>(work.pages),
          .documents = factor * (kDocumentLoaded * static_cast<double>(work.documents_loaded) +
                                 kKilobyteLoaded * mean(work.loaded_bytes, 1024)),
          .index_entries = factor * kEntryRead * static_cast<double>(work.index_entries_read),
          .result = factor * kKilobyteOfResult * mean(work.result_bytes, 1024)};
}

double evaluation_charge(uint64_t steps) {
  return steps <= kStepsIncluded ? 0 : kThousandSteps * static_cast<double>(steps - kStepsIncluded) / 1000;
}

double charge_for(const WorkDone& work, ReadPrice reads) {
  const double script = std::max(kScriptMin * static_cast<double>(work.scripts), kScriptMillisecond * mean(work.script_us, 1000));
  return rounded_charge(factor_of(reads) * lookups(work) + page_charge(work, reads).sum() + writes(work) + script);
}

}  // namespace partita
