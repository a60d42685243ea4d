#pragma once

#include "document/stored/stored_writer.h"
#include "gateway/query/query_runner.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/handlers/queries/query_refusal.h"

#include <cstdint>
#include <optional>

namespace partita::cosmos {

// A query on its way, and whom its page is for.
struct QueryInFlight : QueryCall {
  ExchangePtr exchange;
  const Clock* clock = nullptr;
  int64_t started_us = 0;
  int64_t compile_us = 0;
  int64_t write_us = 0;
  size_t output_bytes = 0;
  std::optional<QueryRefusal> refusal;  // of a query that is explained all the same
};

// What the client asked to be told about the page: query metrics, index metrics, advice.
void set_query_metrics(const QueryInFlight& flight, Exchange& exchange, const QueryPage& page);

// Everything about how the page came about, for people (docs/compatibility/cosmos.md).
void write_explanation(StoredWriter& out, const QueryInFlight& flight, const QueryPage& page);

}  // namespace partita::cosmos
