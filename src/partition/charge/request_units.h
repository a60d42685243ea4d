#pragma once

#include "engine/work_done.h"

namespace partita {

// What requests cost, from the work they did, in the service's request units (RU). Pure.

// Reads that must be as new as the newest write are answered by two replicas, and cost twice as much.
enum class ReadPrice { kSingle, kDouble };

// The price of work, rounded to hundredths. Exact at the sizes of the service's published table: a point read of 1 KB is 1 RU,
// writing 1 KB with the twenty or so index entries that such documents have 4.95. Every index entry written costs the same,
// whatever the document. Several lookups, and several writes, are priced by their mean size.
double charge_for(const WorkDone& work, ReadPrice reads = ReadPrice::kSingle);

// What a page of a feed or a query costs, by what it is for. Not rounded; their sum is what charge_for() has for the page.
struct PageCharge {
  double page = 0;
  double documents = 0;
  double index_entries = 0;
  double result = 0;

  double sum() const { return page + documents + index_entries + result; }
};
PageCharge page_charge(const WorkDone& work, ReadPrice reads = ReadPrice::kSingle);

// What a query costs beside its page for computing, by steps of its evaluation: nothing unless it does very many.
double evaluation_charge(uint64_t steps);

// To hundredths, as charges are told.
double rounded_charge(double units);

// What an answer costs that says no more than that a document is missing, taken or not as expected.
inline constexpr double kFailedLookupCharge = 1.0;

// Reading or writing a database, container or offer.
inline constexpr double kMetadataReadCharge = 1.0;
inline constexpr double kMetadataWriteCharge = 4.95;

}  // namespace partita
