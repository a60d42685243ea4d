#pragma once

#include "protocols/cosmos/codec/resource_path.h"

#include <memory>
#include <string_view>

namespace partita::cosmos {

class Exchange;
class Service;

// What is done with a resource or with all of a feed.
enum class Action {
  kRead,
  kList,
  kListChanges,  // a change feed
  kQuery,
  kPlanQuery,  // how clients are to merge what partitions give to a query
  kCreate,
  kUpsert,
  kReplace,
  kPatch,
  kDelete,
  kBatch,  // transactional, on one partition key
  kBulk,   // each of its operations on a key of its own
  kExecute,
  kErasePartitionKey,
};

std::string_view name_of(Action action);
// The verb of its requests.
std::string_view method_of(Action action);
bool is_write(Action action);

// How an operation can stay within one logical partition, which a token may be limited to.
enum class KeyScope {
  kNone,         // it never does
  kNoDocuments,  // it tells nothing of documents
  kHeader,       // it touches documents of the request's partition key only
  kFeedHeader,   // the same, where fewer components than the container's key has mean more documents
};

// Operation: what a request means, decided once, by the router. Authorization judges it and its handler carries it out; neither
// asks headers again what the request is.
struct Operation {
  using Handler = void (*)(const Service&, std::unique_ptr<Exchange>);

  ResourceKind kind = ResourceKind::kAccount;
  bool is_feed = false;
  Action action = Action::kRead;
  Handler handler = nullptr;   // null: nothing of the kind is served
  bool runs_triggers = false;  // those that the request names

  bool is_served() const { return handler != nullptr; }
  // What is not served counts as a write, so that nobody learns more from it than from one.
  bool is_write() const { return !is_served() || cosmos::is_write(action); }
  KeyScope key_scope() const;
};

}  // namespace partita::cosmos
