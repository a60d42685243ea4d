#include "gateway/request_charge.h"

#include "base/check.h"

#include <algorithm>

namespace partita {

namespace {

// What reads nothing, because no document can be what it wants, is work for one of them.
bool concerns(const EffectiveKeyRange& range, const EffectiveKeyRange& place) {
  if (range.min >= range.max) return place.contains(range.min);
  return range.min < place.max && place.min < range.max;
}

}  // namespace

Result<RequestCharge> RequestCharge::open(const Container& container, const EffectiveKeyRange& range, RequestTerms terms) {
  RequestCharge charge(terms);
  for (const PartitionPlace& place : container.places) {
    if (!concerns(range, place.range())) continue;
    TRY_ASSIGN(const int64_t began_us, place.partition->admit(terms.priority));
    charge.lines_.push_back({place.partition, began_us, {}});
  }
  return charge;
}

WorkDone& RequestCharge::work_in(const PartitionClient& partition) {
  const auto line = std::ranges::find(lines_, &partition, [](const Line& candidate) { return candidate.partition.get(); });
  CHECK(line != lines_.end());
  return line->work;
}

void RequestCharge::spread(const WorkDone& work) {
  const uint64_t parts = lines_.size();
  for (uint64_t i = 0; i < parts; ++i) {
    const auto part = [&](uint64_t whole) { return whole / parts + (i < whole % parts ? 1 : 0); };
    lines_[i].work += WorkDone{.lookups = part(work.lookups),
                               .lookup_bytes = part(work.lookup_bytes),
                               .writes = part(work.writes),
                               .write_bytes = part(work.write_bytes),
                               .index_entries_written = part(work.index_entries_written),
                               .pages = part(work.pages),
                               .documents_loaded = part(work.documents_loaded),
                               .loaded_bytes = part(work.loaded_bytes),
                               .index_entries_read = part(work.index_entries_read),
                               .result_bytes = part(work.result_bytes),
                               .scripts = part(work.scripts),
                               .script_us = part(work.script_us)};
  }
}

void RequestCharge::spread(double units) {
  for (Line& line : lines_) line.units += units / static_cast<double>(lines_.size());
}

void RequestCharge::charge_ahead(double units) {
  const double part = units / static_cast<double>(lines_.size());
  for (Line& line : lines_) {
    line.partition->charge(part);
    line.ahead += part;
  }
}

double RequestCharge::rate() const {
  double rate = 0;
  for (const Line& line : lines_) {
    const double own = line.partition->budget_rate();
    rate = line.partition->shares_budget() ? std::max(rate, own) : rate + own;
  }
  return rate;
}

int64_t RequestCharge::debt_us(int64_t now_us) const {
  int64_t debt_us = 0;
  for (const Line& line : lines_) {
    debt_us = std::max(debt_us, line.partition->debt_us(now_us));
  }
  return debt_us;
}

double RequestCharge::settle(std::string_view effective_key) {
  double sum = 0;
  for (const Line& line : lines_) {
    const double units = charge_for(line.work, terms_.reads) + line.units;
    if (units == 0) continue;
    line.partition->charge(std::max(0.0, units - line.ahead));
    line.partition->record(line.began_us, effective_key, units);
    sum += units;
  }
  return rounded_charge(sum);
}

}  // namespace partita
