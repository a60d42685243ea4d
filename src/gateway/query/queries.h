#pragma once

#include "base/result.h"
#include "gateway/feeds/feed.h"
#include "gateway/feeds/read_ahead.h"
#include "query/query.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace partita {

inline constexpr size_t kQueryPageItemsDefault = 1000;
// A page of a query that yields row by row ends after this time, with what it has.
inline constexpr int64_t kQueryPageMicroseconds = 500'000;
// Or when reading has cost this many request units.
inline constexpr double kQueryPageChargeMax = 500;
// A query that must see all rows before its first result fails after this time.
inline constexpr int64_t kQueryMicrosecondsMax = 60'000'000;

// Texts up to this length are compiled for nothing; others cost what a script that runs as long would.
inline constexpr size_t kTextBytesFree = 4096;
inline constexpr size_t kTextBytesPerMicrosecond = 8;

// How far a query has come. Names hashes and documents, not partitions, so it stays good when those split or merge.
struct QueryPosition {
  query::Position progress;
  // In which the last document was read, or the next one is to be, unless the query reads all documents before it gives anything:
  // those of smaller hashes were read before.
  EffectiveKeyRange range;
};

struct QueryRequest {
  EffectiveKeyRange range;
  std::optional<PartitionKey> key;
  std::optional<QueryPosition> from;
  size_t items_max = kQueryPageItemsDefault;
  // A page of a query that yields row by row has rows of one partition only (partition_page.h), and of none without a hash in
  // `key_ranges`, which those of documents that pass the filter are in; empty: anything passes.
  bool ends_with_partition = false;
  std::vector<EffectiveKeyRange> key_ranges = {};
  bool measures_reading = false;  // for QueryPage::read_us
  bool pauses = true;             // a page ends when it has taken long
  size_t text_bytes = 0;          // of the text and its parameters, whose compilation is charged if it is long
  RequestTerms terms = {};
  const SpareWorkers* helpers = nullptr;  // that may read ahead while it runs; null: nobody
};

struct QueryPage {
  std::vector<std::string> rows;      // stored form
  std::optional<QueryPosition> next;  // nothing: that was all
  EffectiveKeyRange range;            // the hashes that it is about: those of the request, or of one partition
  uint64_t documents_read = 0;
  uint64_t document_bytes_read = 0;
  uint64_t index_entries_read = 0;
  std::string access;   // what was read in each partition: "scan", or a predicate of the filter that the index answered
  int64_t read_us = 0;  // spent on getting documents, those in the index included; only if asked for
  int64_t run_us = 0;   // spent on the page, that included
  WorkDone work;
  double charge = 0;
  double evaluation_charge = 0;  // of that, for computing beside the work
};

// One page of a query over a container's documents, by reading those that the request and the index do not leave out. May take
// long: call it from a worker, or as a trial with a deadline (then it may fail with kTimeout, having changed and charged
// nothing). Its partitions are charged while it runs, and for what it did also when it fails. The callback runs once everything
// the page was computed from is durable.
void run_query(const std::shared_ptr<const Container>& container, const query::Plan& plan, const QueryRequest& request,
               const query::Environment& environment, std::move_only_function<void(Result<QueryPage>)> callback);

}  // namespace partita
