#include "protocols/cosmos/router.h"

#include "protocols/cosmos/handlers/handlers.h"

#include <fmt/format.h>

#include <array>

namespace partita::cosmos {
namespace {

using Handler = void (*)(const Service&, ExchangePtr);

struct Route {
  ResourceKind kind;
  bool is_feed;
  std::string_view method;
  bool is_query;  // a POST that reads
  Handler handler;
};

constexpr std::array kRoutes = {
    Route{ResourceKind::kAccount, false, "GET", false, read_account},
    Route{ResourceKind::kDatabase, true, "POST", false, create_database},
    Route{ResourceKind::kDatabase, true, "GET", false, list_databases},
    Route{ResourceKind::kDatabase, true, "POST", true, list_databases},
    Route{ResourceKind::kDatabase, false, "GET", false, read_database},
    Route{ResourceKind::kDatabase, false, "DELETE", false, delete_database},
    Route{ResourceKind::kContainer, true, "POST", false, create_container},
    Route{ResourceKind::kContainer, true, "GET", false, list_containers},
    Route{ResourceKind::kContainer, true, "POST", true, list_containers},
    Route{ResourceKind::kContainer, false, "GET", false, read_container},
    Route{ResourceKind::kContainer, false, "PUT", false, replace_container},
    Route{ResourceKind::kContainer, false, "DELETE", false, delete_container},
    Route{ResourceKind::kPartitionKeyRange, true, "GET", false, list_ranges},
    Route{ResourceKind::kPartitionKeyRange, false, "GET", false, read_range},
    Route{ResourceKind::kConflict, true, "GET", false, list_conflicts},
    Route{ResourceKind::kConflict, true, "POST", true, list_conflicts},
    Route{ResourceKind::kConflict, false, "GET", false, find_conflict},
    Route{ResourceKind::kConflict, false, "DELETE", false, find_conflict},
    Route{ResourceKind::kOffer, true, "GET", false, list_offers},
    Route{ResourceKind::kOffer, true, "POST", true, list_offers},
    Route{ResourceKind::kOffer, false, "GET", false, read_offer},
    Route{ResourceKind::kOffer, false, "PUT", false, replace_offer},
    Route{ResourceKind::kUser, true, "POST", false, create_child},
    Route{ResourceKind::kUser, true, "GET", false, list_children},
    Route{ResourceKind::kUser, true, "POST", true, list_children},
    Route{ResourceKind::kUser, false, "GET", false, read_child},
    Route{ResourceKind::kUser, false, "PUT", false, replace_child},
    Route{ResourceKind::kUser, false, "DELETE", false, delete_child},
    Route{ResourceKind::kPermission, true, "POST", false, create_child},
    Route{ResourceKind::kPermission, true, "GET", false, list_children},
    Route{ResourceKind::kPermission, true, "POST", true, list_children},
    Route{ResourceKind::kPermission, false, "GET", false, read_child},
    Route{ResourceKind::kPermission, false, "PUT", false, replace_child},
    Route{ResourceKind::kPermission, false, "DELETE", false, delete_child},
    Route{ResourceKind::kClientEncryptionKey, true, "POST", false, create_child},
    Route{ResourceKind::kClientEncryptionKey, true, "GET", false, list_children},
    Route{ResourceKind::kClientEncryptionKey, true, "POST", true, list_children},
    Route{ResourceKind::kClientEncryptionKey, false, "GET", false, read_child},
    Route{ResourceKind::kClientEncryptionKey, false, "PUT", false, replace_child},
    Route{ResourceKind::kStoredProcedure, true, "POST", false, create_script},
    Route{ResourceKind::kStoredProcedure, true, "GET", false, list_scripts},
    Route{ResourceKind::kStoredProcedure, true, "POST", true, list_scripts},
    Route{ResourceKind::kStoredProcedure, false, "GET", false, read_script},
    Route{ResourceKind::kStoredProcedure, false, "PUT", false, replace_script},
    Route{ResourceKind::kStoredProcedure, false, "DELETE", false, delete_script},
    Route{ResourceKind::kStoredProcedure, false, "POST", false, execute_procedure},
    Route{ResourceKind::kTrigger, true, "POST", false, create_script},
    Route{ResourceKind::kTrigger, true, "GET", false, list_scripts},
    Route{ResourceKind::kTrigger, true, "POST", true, list_scripts},
    Route{ResourceKind::kTrigger, false, "GET", false, read_script},
    Route{ResourceKind::kTrigger, false, "PUT", false, replace_script},
    Route{ResourceKind::kTrigger, false, "DELETE", false, delete_script},
    Route{ResourceKind::kUserDefinedFunction, true, "POST", false, create_script},
    Route{ResourceKind::kUserDefinedFunction, true, "GET", false, list_scripts},
    Route{ResourceKind::kUserDefinedFunction, true, "POST", true, list_scripts},
    Route{ResourceKind::kUserDefinedFunction, false, "GET", false, read_script},
    Route{ResourceKind::kUserDefinedFunction, false, "PUT", false, replace_script},
    Route{ResourceKind::kUserDefinedFunction, false, "DELETE", false, delete_script},
    Route{ResourceKind::kPartitionKeyDelete, false, "POST", false, delete_partition_key},
    Route{ResourceKind::kItem, true, "POST", false, create_item},
    Route{ResourceKind::kItem, true, "GET", false, list_items},
    Route{ResourceKind::kItem, true, "POST", true, query_items},
    Route{ResourceKind::kItem, false, "GET", false, read_item},
    Route{ResourceKind::kItem, false, "PUT", false, replace_item},
    Route{ResourceKind::kItem, false, "PATCH", false, patch_item},
    Route{ResourceKind::kItem, false, "DELETE", false, delete_item},
    Route{ResourceKind::kAttachment, true, "POST", false, create_attachment},
    Route{ResourceKind::kAttachment, true, "GET", false, list_attachments},
    Route{ResourceKind::kAttachment, true, "POST", true, list_attachments},
    Route{ResourceKind::kAttachment, false, "GET", false, read_attachment},
    Route{ResourceKind::kAttachment, false, "PUT", false, replace_attachment},
    Route{ResourceKind::kAttachment, false, "DELETE", false, delete_attachment},
    Route{ResourceKind::kMedia, false, "GET", false, read_media},
    Route{ResourceKind::kMedia, false, "PUT", false, replace_media},
};

bool is_query(const Exchange& exchange) {
  return exchange.is_header_true(header::kIsQuery) || exchange.is_header_true(header::kIsQueryPlan) ||
         exchange.header(header::kContentType).starts_with("application/query+json");
}

// What headers make of a GET or POST on the documents of a container; null when it is what the table says.
Handler special_item_handler(const Exchange& exchange, std::string_view method, bool reads_by_post) {
  if (method == "GET") return exchange.header(header::kIncrementalFeed).empty() ? nullptr : read_change_feed;
  if (reads_by_post) return exchange.is_header_true(header::kIsQueryPlan) ? plan_query : nullptr;
  if (method == "POST" && exchange.is_header_true(header::kIsBatch)) return batch_items;
  return nullptr;
}

// The indexing policy alone decides what is indexed, and queries find every document anyway: what is no directive is refused.
Status check_indexing_directive(const Exchange& exchange) {
  const std::string_view directive = exchange.header(header::kIndexingDirective);
  for (const std::string_view known : {"", "Default", "Include", "Exclude"}) {
    if (net::equal_without_case(directive, known)) return {};
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("There is no indexing directive '{}'.", directive));
}

}  // namespace

void route(const Service& service, ExchangePtr exchange) {
  const ResourcePath& path = exchange->path();
  const std::string_view method = exchange->request().method == "HEAD" ? "GET" : exchange->request().method;
  const bool reads_by_post = method == "POST" && is_query(*exchange);
  const bool is_item_write = path.kind() == ResourceKind::kItem && method != "GET" && !reads_by_post;
  if (is_item_write) {
    if (const Status known = check_indexing_directive(*exchange); !known) return exchange->answer_error(known.error());
  }
  if (path.kind() == ResourceKind::kItem && path.is_feed()) {
    if (const Handler handler = special_item_handler(*exchange, method, reads_by_post); handler != nullptr) {
      return handler(service, std::move(exchange));
    }
  }
  for (const Route& candidate : kRoutes) {
    if (candidate.kind == path.kind() && candidate.is_feed == path.is_feed() && candidate.method == method &&
        candidate.is_query == reads_by_post) {
      return candidate.handler(service, std::move(exchange));
    }
  }
  exchange->answer_error(
      {ErrorCode::kMethodNotAllowed, fmt::format("{} is not served on {}.", method, exchange->request().path)});
}

}  // namespace partita::cosmos
