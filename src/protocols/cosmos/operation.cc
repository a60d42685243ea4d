#include "protocols/cosmos/operation.h"

namespace partita::cosmos {

std::string_view name_of(Action action) {
  switch (action) {
    case Action::kRead: return "read";
    case Action::kList: return "list";
    case Action::kListChanges: return "list changes of";
    case Action::kQuery: return "query";
    case Action::kPlanQuery: return "plan a query of";
    case Action::kCreate: return "create";
    case Action::kUpsert: return "upsert";
    case Action::kReplace: return "replace";
    case Action::kPatch: return "patch";
    case Action::kDelete: return "delete";
    case Action::kBatch: return "batch";
    case Action::kBulk: return "bulk";
    case Action::kExecute: return "execute";
    case Action::kErasePartitionKey: return "erase a partition key of";
  }
  return "";
}

std::string_view method_of(Action action) {
  switch (action) {
    case Action::kRead:
    case Action::kList:
    case Action::kListChanges: return "GET";
    case Action::kQuery:
    case Action::kPlanQuery:
    case Action::kCreate:
    case Action::kUpsert:
    case Action::kBatch:
    case Action::kBulk:
    case Action::kExecute:
    case Action::kErasePartitionKey: return "POST";
    case Action::kReplace: return "PUT";
    case Action::kPatch: return "PATCH";
    case Action::kDelete: return "DELETE";
  }
  return "";
}

bool is_write(Action action) {
  switch (action) {
    case Action::kRead:
    case Action::kList:
    case Action::kListChanges:
    case Action::kQuery:
    case Action::kPlanQuery: return false;
    case Action::kCreate:
    case Action::kUpsert:
    case Action::kReplace:
    case Action::kPatch:
    case Action::kDelete:
    case Action::kBatch:
    case Action::kBulk:
    case Action::kExecute:
    case Action::kErasePartitionKey: return true;
  }
  return true;
}

KeyScope Operation::key_scope() const {
  if (!is_served()) return KeyScope::kNone;
  if (kind == ResourceKind::kAttachment) return KeyScope::kHeader;
  switch (action) {
    case Action::kPlanQuery: return KeyScope::kNoDocuments;
    case Action::kExecute:
    case Action::kErasePartitionKey:
    case Action::kBatch: return KeyScope::kHeader;
    case Action::kBulk: return KeyScope::kNone;
    default: break;
  }
  if (kind != ResourceKind::kItem) return KeyScope::kNone;
  const bool reads_feed = is_feed && !cosmos::is_write(action);
  return reads_feed ? KeyScope::kFeedHeader : KeyScope::kHeader;
}

}  // namespace partita::cosmos
