#pragma once

#include "document/stored_writer.h"
#include "gateway/queries.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/prepared_queries.h"

#include <cstdint>
#include <memory>

namespace partita::cosmos {

// A query on its way, with what it is about.
struct QueryInFlight {
  ExchangePtr exchange;
  std::shared_ptr<const Container> container;
  std::shared_ptr<const PreparedQuery> query;
  QueryRequest request;
  const Clock* clock = nullptr;
  int64_t started_us = 0;
  int64_t compile_us = 0;
  int64_t write_us = 0;
  size_t output_bytes = 0;
  bool is_late = false;  // was not answered at once
};

// What the client asked to be told about the page: query metrics, index metrics, advice.
void set_query_metrics(const QueryInFlight& flight, const QueryPage& page);

// Everything about how the page came about, for people (docs/compatibility/cosmos.md).
void write_explanation(StoredWriter& out, const QueryInFlight& flight, const QueryPage& page);

}  // namespace partita::cosmos
