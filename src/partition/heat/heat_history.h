#pragma once

#include "base/result.h"
#include "document/key/partition_key.h"
#include "partition/heat/heat.h"
#include "partition/heat/hot_keys.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// HeatHistory: what is known of a partition's use in the last minutes and hours, for when it is opened again, and for the
// partitions that take its place.
struct HeatHistory {
  struct Period {
    int64_t number = 0;  // minutes or hours since the Unix epoch
    HeatTally tally;

    bool operator==(const Period&) const = default;
  };
  std::vector<Period> minutes;  // in order, only those in which something happened; likewise the others
  std::vector<Period> hours;
  int64_t minute = 0;                    // which the hot keys are of
  std::vector<HotKeys::Entry> hot_keys;  // the heaviest first
  uint64_t hot_keys_total = 0;

  // Of another partition at the same time: what both did together.
  HeatHistory& operator+=(const HeatHistory& other);
  // Which share of it a range has that has this share of the documents: its hot keys, and of all others as much as of the
  // documents.
  double share_of(const EffectiveKeyRange& range, double documents_share) const;
  // What is known of such a range: that share of everything, and its hot keys.
  HeatHistory part(const EffectiveKeyRange& range, double share) const;

  bool operator==(const HeatHistory&) const = default;
};

// ON DISK: docs/formats/catalog.md.
std::string encode_heat(const HeatHistory& history);
// kCorruption when it is none.
Result<HeatHistory> decode_heat(std::string_view json);

}  // namespace partita
