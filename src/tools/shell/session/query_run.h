#pragma once

#include "client/client.h"
#include "document/key/partition_key.h"
#include "tools/shell/output/row_writer.h"

#include <functional>
#include <string>

namespace partita::tools {

struct QueryOrder {
  client::ContainerName container;
  std::string text;
  std::string parameters = {};     // a JSON array of {"name","value"}, or empty
  std::string partition_key = {};  // JSON: a value or an array of them; empty: all partitions
  int64_t page_rows = -1;          // -1: no pages
};

struct QueryTotals {
  size_t rows = 0;
  uint64_t requests = 0;
  double charge = 0;
};

// Runs a query to its end, or until `wants_more`, asked now and then and before each page but the first, says no.
client::Answer<QueryTotals> run_query(const client::Client& client, const QueryOrder& order, RowWriter& rows,
                                      const std::function<bool(const QueryTotals&)>& wants_more);

// A key as people give it: "ada", 42, ["a",1].
Result<PartitionKey> parse_key(const std::string& json);

// What went wrong, in sentences; with the mistakes in a query pointed at under its text. Harmless for a terminal.
std::string failure_text(const client::Failure& failure, std::string_view query, std::string_view endpoint);

}  // namespace partita::tools
