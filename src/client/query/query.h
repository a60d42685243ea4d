#pragma once

#include "client/container.h"
#include "client/query/partition_rows.h"
#include "client/query/row.h"

#include <memory>
#include <optional>
#include <string>

namespace partita::client {

struct Query {
  std::string text;
  std::string parameters = {};  // a JSON array of {"name":"@x","value":...}, or empty
};

struct QueryOptions {
  std::optional<PartitionKey> key = {};  // only this logical partition, or those with this prefix of a hierarchical key
  ParallelOptions parallel = {};
};

// QueryCursor: the rows of a query, one after the other. Used by one thread; reads ahead meanwhile.
//
// Without a partition key the server is asked for a plan, its partitions are asked in parallel, and their rows are merged into
// the order in which one partition after the other would give them. With one, the server does everything, and so it does if it
// knows no plans.
class QueryCursor {
 public:
  // kInvalidQuery with the place in the text; kInvalidInput when the plan is one that only a server can carry out.
  static Answer<QueryCursor> open(const Container& container, const Query& query, const QueryOptions& options = {});
  QueryCursor(QueryCursor&&) noexcept;
  QueryCursor& operator=(QueryCursor&&) noexcept;
  ~QueryCursor();

  // Nothing at the end. After a failure the cursor is of no use any more.
  Answer<std::optional<Row>> next();
  QueryCost cost() const;

 private:
  struct State;
  explicit QueryCursor(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace partita::client
