#include "protocols/cosmos/router.h"

#include "protocols/cosmos/dispatch.h"
#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr std::array kOperations = {
    Operation{ResourceKind::kAccount, false, Action::kRead, read_account},
    Operation{ResourceKind::kAddresses, true, Action::kList, list_addresses},
    Operation{ResourceKind::kDatabase, true, Action::kCreate, create_database},
    Operation{ResourceKind::kDatabase, true, Action::kList, list_databases},
    Operation{ResourceKind::kDatabase, true, Action::kQuery, list_databases},
    Operation{ResourceKind::kDatabase, false, Action::kRead, read_database},
    Operation{ResourceKind::kDatabase, false, Action::kDelete, delete_database},
    Operation{ResourceKind::kContainer, true, Action::kCreate, create_container},
    Operation{ResourceKind::kContainer, true, Action::kList, list_containers},
    Operation{ResourceKind::kContainer, true, Action::kQuery, list_containers},
    Operation{ResourceKind::kContainer, false, Action::kRead, read_container},
    Operation{ResourceKind::kContainer, false, Action::kReplace, replace_container},
    Operation{ResourceKind::kContainer, false, Action::kDelete, delete_container},
    Operation{ResourceKind::kPartitionKeyRange, true, Action::kList, list_ranges},
    Operation{ResourceKind::kPartitionKeyRange, false, Action::kRead, read_range},
    Operation{ResourceKind::kConflict, true, Action::kList, list_conflicts},
    Operation{ResourceKind::kConflict, true, Action::kQuery, list_conflicts},
    Operation{ResourceKind::kConflict, false, Action::kRead, find_conflict},
    Operation{ResourceKind::kConflict, false, Action::kDelete, find_conflict},
    Operation{ResourceKind::kOffer, true, Action::kList, list_offers},
    Operation{ResourceKind::kOffer, true, Action::kQuery, list_offers},
    Operation{ResourceKind::kOffer, false, Action::kRead, read_offer},
    Operation{ResourceKind::kOffer, false, Action::kReplace, replace_offer},
    Operation{ResourceKind::kUser, true, Action::kCreate, create_child},
    Operation{ResourceKind::kUser, true, Action::kUpsert, create_child},
    Operation{ResourceKind::kUser, true, Action::kList, list_children},
    Operation{ResourceKind::kUser, true, Action::kQuery, list_children},
    Operation{ResourceKind::kUser, false, Action::kRead, read_child},
    Operation{ResourceKind::kUser, false, Action::kReplace, replace_child},
    Operation{ResourceKind::kUser, false, Action::kDelete, delete_child},
    Operation{ResourceKind::kPermission, true, Action::kCreate, create_child},
    Operation{ResourceKind::kPermission, true, Action::kUpsert, create_child},
    Operation{ResourceKind::kPermission, true, Action::kList, list_children},
    Operation{ResourceKind::kPermission, true, Action::kQuery, list_children},
    Operation{ResourceKind::kPermission, false, Action::kRead, read_child},
    Operation{ResourceKind::kPermission, false, Action::kReplace, replace_child},
    Operation{ResourceKind::kPermission, false, Action::kDelete, delete_child},
    Operation{ResourceKind::kClientEncryptionKey, true, Action::kCreate, create_child},
    Operation{ResourceKind::kClientEncryptionKey, true, Action::kUpsert, create_child},
    Operation{ResourceKind::kClientEncryptionKey, true, Action::kList, list_children},
    Operation{ResourceKind::kClientEncryptionKey, true, Action::kQuery, list_children},
    Operation{ResourceKind::kClientEncryptionKey, false, Action::kRead, read_child},
    Operation{ResourceKind::kClientEncryptionKey, false, Action::kReplace, replace_child},
    Operation{ResourceKind::kStoredProcedure, true, Action::kCreate, create_script},
    Operation{ResourceKind::kStoredProcedure, true, Action::kUpsert, create_script},
    Operation{ResourceKind::kStoredProcedure, true, Action::kList, list_scripts},
    Operation{ResourceKind::kStoredProcedure, true, Action::kQuery, list_scripts},
    Operation{ResourceKind::kStoredProcedure, false, Action::kRead, read_script},
    Operation{ResourceKind::kStoredProcedure, false, Action::kReplace, replace_script},
    Operation{ResourceKind::kStoredProcedure, false, Action::kDelete, delete_script},
    Operation{ResourceKind::kStoredProcedure, false, Action::kExecute, execute_procedure},
    Operation{ResourceKind::kTrigger, true, Action::kCreate, create_script},
    Operation{ResourceKind::kTrigger, true, Action::kUpsert, create_script},
    Operation{ResourceKind::kTrigger, true, Action::kList, list_scripts},
    Operation{ResourceKind::kTrigger, true, Action::kQuery, list_scripts},
    Operation{ResourceKind::kTrigger, false, Action::kRead, read_script},
    Operation{ResourceKind::kTrigger, false, Action::kReplace, replace_script},
    Operation{ResourceKind::kTrigger, false, Action::kDelete, delete_script},
    Operation{ResourceKind::kUserDefinedFunction, true, Action::kCreate, create_script},
    Operation{ResourceKind::kUserDefinedFunction, true, Action::kUpsert, create_script},
    Operation{ResourceKind::kUserDefinedFunction, true, Action::kList, list_scripts},
    Operation{ResourceKind::kUserDefinedFunction, true, Action::kQuery, list_scripts},
    Operation{ResourceKind::kUserDefinedFunction, false, Action::kRead, read_script},
    Operation{ResourceKind::kUserDefinedFunction, false, Action::kReplace, replace_script},
    Operation{ResourceKind::kUserDefinedFunction, false, Action::kDelete, delete_script},
    Operation{ResourceKind::kPartitionKeyDelete, false, Action::kErasePartitionKey, delete_partition_key},
    Operation{ResourceKind::kItem, true, Action::kCreate, create_item},
    Operation{ResourceKind::kItem, true, Action::kUpsert, create_item},
    Operation{ResourceKind::kItem, true, Action::kList, list_items},
    Operation{ResourceKind::kItem, true, Action::kListChanges, read_change_feed},
    Operation{ResourceKind::kItem, true, Action::kQuery, query_items},
    Operation{ResourceKind::kItem, true, Action::kPlanQuery, plan_query},
    Operation{ResourceKind::kItem, true, Action::kBatch, batch_items},
    Operation{ResourceKind::kItem, true, Action::kBulk, batch_items},
    Operation{ResourceKind::kItem, false, Action::kRead, read_item},
    Operation{ResourceKind::kItem, false, Action::kReplace, replace_item},
    Operation{ResourceKind::kItem, false, Action::kPatch, patch_item},
    Operation{ResourceKind::kItem, false, Action::kDelete, delete_item},
    Operation{ResourceKind::kAttachment, true, Action::kCreate, create_attachment},
    Operation{ResourceKind::kAttachment, true, Action::kUpsert, create_attachment},
    Operation{ResourceKind::kAttachment, true, Action::kList, list_attachments},
    Operation{ResourceKind::kAttachment, true, Action::kQuery, list_attachments},
    Operation{ResourceKind::kAttachment, false, Action::kRead, read_attachment},
    Operation{ResourceKind::kAttachment, false, Action::kReplace, replace_attachment},
    Operation{ResourceKind::kAttachment, false, Action::kDelete, delete_attachment},
    Operation{ResourceKind::kMedia, false, Action::kRead, read_media},
    Operation{ResourceKind::kMedia, false, Action::kReplace, replace_media},
};

bool is_header_true(const net::HttpRequest& request, std::string_view name) {
  return net::equal_without_case(request.header(name), "true");
}

const Operation* find(ResourceKind kind, bool is_feed, Action action) {
  const auto* found = std::ranges::find_if(
      kOperations, [&](const Operation& each) { return each.kind == kind && each.is_feed == is_feed && each.action == action; });
  return found == kOperations.end() ? nullptr : found;
}

bool is_query(const net::HttpRequest& request) {
  return is_header_true(request, header::kIsQuery) || request.header(header::kContentType).starts_with("application/query+json");
}

// A POST on a feed creates, unless a header that belongs to this kind of feed makes something else of it.
Action posted_to_feed(const net::HttpRequest& request, ResourceKind kind) {
  const bool is_item = kind == ResourceKind::kItem;
  if (is_item && is_header_true(request, header::kIsQueryPlan)) return Action::kPlanQuery;
  if (is_query(request)) return Action::kQuery;
  if (is_item && is_header_true(request, header::kIsBatch)) {
    return is_header_true(request, header::kIsBatchAtomic) ? Action::kBatch : Action::kBulk;
  }
  const bool is_upsert = is_header_true(request, header::kIsUpsert) && find(kind, true, Action::kUpsert) != nullptr;
  return is_upsert ? Action::kUpsert : Action::kCreate;
}

// Nothing when no operation has this method.
std::optional<Action> action_of(const net::HttpRequest& request, const ResourcePath& path) {
  const std::string_view method = request.method;
  if (method == "GET" || method == "HEAD") {
    if (!path.is_feed()) return Action::kRead;
    const bool has_changes = path.kind() == ResourceKind::kItem && !request.header(header::kIncrementalFeed).empty();
    return has_changes ? Action::kListChanges : Action::kList;
  }
  if (method == "POST") {
    if (path.is_feed()) return posted_to_feed(request, path.kind());
    return path.kind() == ResourceKind::kPartitionKeyDelete ? Action::kErasePartitionKey : Action::kExecute;
  }
  for (const Action action : {Action::kReplace, Action::kPatch, Action::kDelete}) {
    if (method == method_of(action)) return action;
  }
  return std::nullopt;
}

bool may_run_triggers(const Operation& operation) {
  if (operation.kind != ResourceKind::kItem) return false;
  return operation.action == Action::kCreate || operation.action == Action::kUpsert || operation.action == Action::kReplace ||
         operation.action == Action::kDelete;
}

// The indexing policy alone decides what is indexed, and queries find every document anyway: what is no directive is refused.
// Python's client sends the number of a directive, the others its name.
Status check_indexing_directive(const Exchange& exchange) {
  const std::string_view directive = exchange.header(header::kIndexingDirective);
  for (const std::string_view known : {"", "Default", "Include", "Exclude", "0", "1", "2"}) {
    if (net::equal_without_case(directive, known)) return {};
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("Unknown indexing directive '{}'.", directive));
}

}  // namespace

std::span<const Operation> operations() { return kOperations; }

Operation operation_of(const net::HttpRequest& request, const ResourcePath& path) {
  Operation unserved{.kind = path.kind(), .is_feed = path.is_feed()};
  const std::optional<Action> action = action_of(request, path);
  if (!action) return unserved;
  unserved.action = *action;
  const Operation* found = find(path.kind(), path.is_feed(), *action);
  if (found == nullptr) return unserved;
  Operation operation = *found;
  operation.runs_triggers = may_run_triggers(operation) &&
                            (!request.header(header::kPreTriggers).empty() || !request.header(header::kPostTriggers).empty());
  return operation;
}

void route(const Service& service, ExchangePtr exchange) {
  const Operation& operation = exchange->operation();
  if (!operation.is_served()) {
    return exchange->answer_error({ErrorCode::kMethodNotAllowed,
                                   fmt::format("{} is not served on {}.", exchange->request().method, exchange->request().path)});
  }
  if (operation.kind == ResourceKind::kItem && operation.is_write()) {
    if (const Status known = check_indexing_directive(*exchange); !known) return exchange->answer_error(known.error());
  }
  if (!belongs_to_workers(service, *exchange)) return operation.handler(service, std::move(exchange));
  leave_to_worker(service, std::move(exchange));
}

}  // namespace partita::cosmos
