#include "protocols/cosmos/permission_scope.h"

#include "document/json.h"
#include "protocols/cosmos/authorization.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita::cosmos {
namespace {

constexpr std::array kPermitted = {ResourceKind::kContainer, ResourceKind::kItem,     ResourceKind::kStoredProcedure,
                                   ResourceKind::kTrigger,   ResourceKind::kConflict, ResourceKind::kUserDefinedFunction,
                                   ResourceKind::kAttachment};

std::unexpected<Error> forbid(std::string_view why) {
  return fail(ErrorCode::kForbidden, fmt::format("The resource token does not permit this: {}.", why));
}

Result<bool> may_write(const Value& mode) {
  if (mode.is_string() && net::equal_without_case(mode.string(), "all")) return true;
  if (mode.is_string() && net::equal_without_case(mode.string(), "read")) return false;
  return fail(ErrorCode::kInvalidInput, "The input content is invalid: 'permissionMode' must be Read or All.");
}

// The container of both; null when they are in different ones.
std::shared_ptr<const Container> shared_container(const Catalog& catalog, const ResourcePath& granted,
                                                  const ResourcePath& asked) {
  const auto container = catalog.container(granted.database(), granted.container());
  const auto other = catalog.container(asked.database(), asked.container());
  return container && other && (*container)->number == (*other)->number ? *container : nullptr;
}

// Clients read these to know where to send what is permitted.
bool is_map(const ResourcePath& path) {
  return (path.kind() == ResourceKind::kContainer && !path.is_feed()) || path.kind() == ResourceKind::kPartitionKeyRange;
}

// Whether a permission on one resource of a container covers what is asked for: that resource, or an attachment of that document.
bool covers(const ResourcePath& granted, const ResourcePath& asked) {
  if (granted.is_resource_id_shaped() != asked.is_resource_id_shaped() || granted.item() != asked.item()) return false;
  if (granted.kind() == ResourceKind::kItem && asked.kind() == ResourceKind::kAttachment) return true;
  return granted.kind() == asked.kind() && !asked.is_feed() && granted.name() == asked.name();
}

// Only requests that stay in the logical partition of their header, or that read no documents.
Status check_key(const Exchange& exchange, const PartitionKey& permitted) {
  const ResourcePath& path = exchange.path();
  if (exchange.is_header_true(header::kIsQueryPlan)) return {};
  const bool executes = path.kind() == ResourceKind::kStoredProcedure && !path.is_feed() && exchange.request().method == "POST";
  const bool is_attachment = path.kind() == ResourceKind::kAttachment;
  if (path.kind() != ResourceKind::kItem && path.kind() != ResourceKind::kPartitionKeyDelete && !is_attachment && !executes) {
    return forbid("it is for documents of one partition key");
  }
  // A resource id finds a document whatever its key, and the operations of a bulk request have keys of their own.
  const bool names_document = is_attachment || (path.kind() == ResourceKind::kItem && !path.is_feed());
  if (path.is_resource_id_shaped() && names_document) {
    return forbid("it is for one partition key, and documents must be named by their id");
  }
  if (exchange.is_header_true(header::kIsBatch) && !exchange.is_header_true(header::kIsBatchAtomic)) {
    return forbid("it is for one partition key, and a bulk request may have many");
  }
  TRY_ASSIGN(const std::optional<PartitionKey> key, exchange.partition_key());
  if (key != permitted) return forbid("it is for another partition key");
  return {};
}

}  // namespace

Result<PermissionTerms> permission_terms(const Value& definition) {
  PermissionTerms terms;
  TRY_ASSIGN(terms.may_write, may_write(definition.find("permissionMode")));
  const Value resource = definition.find("resource");
  if (!resource.is_string()) {
    return fail(ErrorCode::kInvalidInput,
                "The input content is invalid because the required properties - 'resource; ' - are missing");
  }
  terms.resource = resource.string();
  const Result<ResourcePath> path = ResourcePath::parse(terms.resource);
  if (!path || path->is_feed() || std::ranges::find(kPermitted, path->kind()) == kPermitted.end()) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("The input content is invalid: '{}' is not the link of a container, nor of an item or script.",
                            terms.resource));
  }
  if (const Value key = definition.find("resourcePartitionKey"); key.is_array() && key.size() > 0) {
    TRY_ASSIGN(terms.key, PartitionKey::parse(to_json(key)));
  }
  return terms;
}

Status check_permission(const Exchange& exchange, const Catalog& catalog, const PermissionTerms& terms) {
  const ResourcePath& asked = exchange.path();
  if (asked.kind() == ResourceKind::kAccount) return {};
  if (is_write(exchange) && !terms.may_write) return forbid("it is for reading only");
  TRY_ASSIGN(const ResourcePath granted, ResourcePath::parse(terms.resource));
  const std::shared_ptr<const Container> container = shared_container(catalog, granted, asked);
  if (!container) return forbid("it is for something else");
  if (is_map(asked) && !is_write(exchange)) return {};
  if (granted.kind() != ResourceKind::kContainer && !covers(granted, asked)) return forbid("it is for something else");
  if (!terms.key) return {};
  if (!container->has_partition_key()) return forbid("it is for a partition key, and the container has none");
  return check_key(exchange, *terms.key);
}

}  // namespace partita::cosmos
