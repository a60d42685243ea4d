#include "partition/heat/heat_history.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "document/stored/stored_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace partita {
namespace {

constexpr int64_t kFormat = 1;

uint64_t scaled(uint64_t count, double share) { return static_cast<uint64_t>(std::llround(static_cast<double>(count) * share)); }

void add_periods(std::vector<HeatHistory::Period>& all, const std::vector<HeatHistory::Period>& others) {
  for (const HeatHistory::Period& other : others) {
    const auto place = std::ranges::lower_bound(all, other.number, {}, &HeatHistory::Period::number);
    if (place != all.end() && place->number == other.number) {
      place->tally += other.tally;
    } else {
      all.insert(place, other);
    }
  }
}

std::vector<HeatHistory::Period> scaled(std::vector<HeatHistory::Period> periods, double share) {
  for (auto& [number, tally] : periods) {
    for (uint64_t* count : {&tally.requests, &tally.throttled, &tally.milli_units, &tally.peak_milli_units}) {
      *count = scaled(*count, share);
    }
  }
  return periods;
}

uint64_t surely(const HotKeys::Entry& entry) { return entry.weight - std::min(entry.weight, entry.excess); }

void write_integers(StoredWriter& out, std::span<const uint64_t> integers) {
  for (const uint64_t integer : integers) out.integer(static_cast<int64_t>(integer));
}

void write_periods(StoredWriter& out, std::string_view name, const std::vector<HeatHistory::Period>& periods) {
  out.key(name);
  out.begin_array();
  for (const auto& [number, tally] : periods) {
    out.begin_array();
    out.integer(number);
    write_integers(out, std::array{tally.requests, tally.throttled, tally.milli_units, tally.peak_milli_units,
                                   tally.latency_median_us, tally.latency_99_us});
    out.end_array();
  }
  out.end_array();
}

std::unexpected<Error> undecodable(std::string_view what) {
  return fail(ErrorCode::kCorruption, fmt::format("a partition's heat cannot be decoded: {}", what));
}

Result<int64_t> read_integer(const Value& value) {
  const std::optional<int64_t> integer = value.is_number() ? value.integer() : std::nullopt;
  if (!integer || *integer < 0) return undecodable("a number is missing");
  return *integer;
}

// Into the counts, from the element after `skipped` others.
Status read_counts(const Value& array, size_t skipped, std::span<uint64_t* const> counts) {
  if (!array.is_array() || array.size() != skipped + counts.size()) return undecodable("a list has another length");
  for (size_t i = 0; i < counts.size(); ++i) {
    TRY_ASSIGN(const int64_t count, read_integer(array.element(skipped + i)));
    *counts[i] = static_cast<uint64_t>(count);
  }
  return {};
}

Result<std::vector<HeatHistory::Period>> read_periods(const Value& array) {
  if (!array.is_array()) return undecodable("periods are missing");
  std::vector<HeatHistory::Period> periods;
  for (size_t i = 0; i < array.size(); ++i) {
    auto& [number, tally] = periods.emplace_back();
    TRY(read_counts(array.element(i), 1,
                    std::array{&tally.requests, &tally.throttled, &tally.milli_units, &tally.peak_milli_units,
                               &tally.latency_median_us, &tally.latency_99_us}));
    TRY_ASSIGN(number, read_integer(array.element(i).element(0)));
    if (i > 0 && number <= periods[i - 1].number) return undecodable("periods are not in order");
  }
  return periods;
}

Result<std::vector<HotKeys::Entry>> read_hot_keys(const Value& array) {
  if (!array.is_array()) return undecodable("hot keys are missing");
  std::vector<HotKeys::Entry> entries;
  for (size_t i = 0; i < array.size(); ++i) {
    HotKeys::Entry& entry = entries.emplace_back();
    TRY(read_counts(array.element(i), 1, std::array{&entry.weight, &entry.excess}));
    const Value text = array.element(i).element(0);
    std::optional<std::string> key = text.is_string() ? from_hex(text.string()) : std::nullopt;
    if (!key) return undecodable("a hot key is not hexadecimal");
    entry.key = *std::move(key);
  }
  return entries;
}

}  // namespace

HeatHistory& HeatHistory::operator+=(const HeatHistory& other) {
  add_periods(minutes, other.minutes);
  add_periods(hours, other.hours);
  minute = std::max(minute, other.minute);
  hot_keys.insert(hot_keys.end(), other.hot_keys.begin(), other.hot_keys.end());
  std::ranges::sort(hot_keys, HotKeys::Entry::is_heavier);
  hot_keys_total += other.hot_keys_total;
  return *this;
}

double HeatHistory::share_of(const EffectiveKeyRange& range, double documents_share) const {
  if (hot_keys_total == 0) return documents_share;
  uint64_t inside = 0;
  uint64_t anywhere = 0;
  for (const HotKeys::Entry& entry : hot_keys) {
    anywhere += surely(entry);
    if (range.contains(entry.key)) inside += surely(entry);
  }
  const double others = static_cast<double>(hot_keys_total - std::min(hot_keys_total, anywhere));
  return (static_cast<double>(inside) + others * documents_share) / (static_cast<double>(anywhere) + others);
}

HeatHistory HeatHistory::part(const EffectiveKeyRange& range, double share) const {
  HeatHistory part{.minutes = scaled(minutes, share),
                   .hours = scaled(hours, share),
                   .minute = minute,
                   .hot_keys = {},
                   .hot_keys_total = scaled(hot_keys_total, share)};
  std::ranges::copy_if(hot_keys, std::back_inserter(part.hot_keys),
                       [&](const HotKeys::Entry& entry) { return range.contains(entry.key); });
  return part;
}

std::string encode_heat(const HeatHistory& history) {
  StoredWriter out;
  out.begin_object();
  out.key("format");
  out.integer(kFormat);
  write_periods(out, "minutes", history.minutes);
  write_periods(out, "hours", history.hours);
  out.key("minute");
  out.integer(history.minute);
  out.key("hotKeys");
  out.begin_array();
  for (const HotKeys::Entry& entry : history.hot_keys) {
    out.begin_array();
    out.string(hex_upper(entry.key));
    write_integers(out, std::array{entry.weight, entry.excess});
    out.end_array();
  }
  out.end_array();
  out.key("hotKeysTotal");
  out.integer(static_cast<int64_t>(history.hot_keys_total));
  out.end_object();
  return to_json(out.view());
}

Result<HeatHistory> decode_heat(std::string_view json) {
  const Result<std::string> stored = stored_from_json(json);
  if (!stored) return undecodable(stored.error().message);
  const Value record = Value::view(*stored);
  TRY_ASSIGN(const int64_t format, read_integer(record.find("format")));
  if (format != kFormat) return undecodable(fmt::format("it has format {}", format));
  HeatHistory history;
  TRY_ASSIGN(history.minutes, read_periods(record.find("minutes")));
  TRY_ASSIGN(history.hours, read_periods(record.find("hours")));
  TRY_ASSIGN(history.minute, read_integer(record.find("minute")));
  TRY_ASSIGN(history.hot_keys, read_hot_keys(record.find("hotKeys")));
  TRY_ASSIGN(const int64_t total, read_integer(record.find("hotKeysTotal")));
  history.hot_keys_total = static_cast<uint64_t>(total);
  return history;
}

}  // namespace partita
