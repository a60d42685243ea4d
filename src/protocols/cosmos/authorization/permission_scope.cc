#include "protocols/cosmos/authorization/permission_scope.h"

#include "document/json/json.h"
#include "gateway/items/location.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/handlers/scripts/script_answer.h"

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

std::unexpected<Error> bad_key(std::string_view why) {
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("The input content is invalid: 'resourcePartitionKey' must be an array with the value of each path of the "
                  "container's partition key, but {}.",
                  why));
}

// As a permission's definition gives it.
Result<PartitionKey> whole_key(const Value& given) {
  if (!given.is_array()) return bad_key("it is no array");
  if (given.size() == 0) return bad_key("it is empty");
  if (given.size() > kPartitionKeyPathsMax) return bad_key("it has more values than a partition key can have");
  Result<PartitionKey> key = PartitionKey::parse(to_json(given));
  if (!key) return bad_key("a value in it is none of a partition key");
  return key;
}

// The container of both; null when they are in different ones.
std::shared_ptr<const Container> shared_container(const Catalog& catalog, const ResourcePath& granted,
                                                  const ResourcePath& asked) {
  const auto container = catalog.container(granted.database(), granted.container());
  const auto other = catalog.container(asked.database(), asked.container());
  return container && other && (*container)->number == (*other)->number ? *container : nullptr;
}

// Clients read these to know where to send what is permitted.
bool reads_map(const Operation& operation) {
  if (operation.is_write()) return false;
  return (operation.kind == ResourceKind::kContainer && !operation.is_feed) ||
         operation.kind == ResourceKind::kPartitionKeyRange || operation.kind == ResourceKind::kAddresses;
}

// Those of the metadata tell only where the server is.
bool asks_for_metadata_addresses(const ResourcePath& path) {
  return path.kind() == ResourceKind::kAddresses && (path.resolve_for() == nullptr || path.resolve_for()->container().empty());
}

// The number of the document that a path names, or whose attachments it names; nothing when it does so by id.
std::optional<uint64_t> document_number(const ResourcePath& path, const Container& container) {
  const auto rid = path.is_resource_id_shaped() ? parse_child_rid(path.item(), ContainerChild::kItem) : std::nullopt;
  if (!rid || rid->container != ContainerRid{container.database->number, container.number}) return std::nullopt;
  return rid->ordinal;
}

bool is_same_document(const ResourcePath& granted, const ResourcePath& asked, const Container& container) {
  const auto number = document_number(granted, container);
  if (number != document_number(asked, container)) return false;
  return number || granted.item() == asked.item();
}

// REQUIRES: of one document.
bool is_same_attachment(const ResourcePath& granted, const ResourcePath& asked) {
  const auto number = [](const ResourcePath& path) {
    return path.is_resource_id_shaped() ? parse_resource_id_as<AttachmentRid>(path.name()) : std::nullopt;
  };
  const auto permitted = number(granted);
  if (permitted != number(asked)) return false;
  return permitted || granted.name() == asked.name();
}

bool is_same_script(const ResourcePath& granted, const ResourcePath& asked, const Container& container, const Catalog& catalog) {
  const ScriptType type = script_type(granted.kind());
  const Result<ScriptPtr> permitted = catalog.scripts().find(container, type, script_name(granted, container));
  const Result<ScriptPtr> wanted = catalog.scripts().find(container, type, script_name(asked, container));
  if (permitted && wanted) return (*permitted)->number == (*wanted)->number;
  return !permitted && !wanted && granted.name() == asked.name();
}

// Whether a permission on one resource of a container covers what is asked for: that resource, or an attachment of that document.
bool covers(const ResourcePath& granted, const ResourcePath& asked, const Container& container, const Catalog& catalog) {
  const bool is_attachment = asked.kind() == ResourceKind::kAttachment;
  if (granted.kind() == ResourceKind::kItem && is_attachment) return is_same_document(granted, asked, container);
  if (granted.kind() != asked.kind() || asked.is_feed()) return false;
  if (asked.kind() == ResourceKind::kItem) return is_same_document(granted, asked, container);
  if (is_attachment) return is_same_document(granted, asked, container) && is_same_attachment(granted, asked);
  if (asked.kind() == ResourceKind::kConflict) return granted.name() == asked.name();
  return is_same_script(granted, asked, container, catalog);
}

bool names_document(ResourceKind kind) { return kind == ResourceKind::kItem || kind == ResourceKind::kAttachment; }

// The logical partition to which the terms limit their bearer, as a whole key; nothing when they do not.
Result<std::optional<PartitionKey>> permitted_key(const PermissionTerms& terms, const ResourcePath& granted,
                                                  const Container& container) {
  const size_t paths = container.definition.partition_key.paths.size();
  if (terms.key) {
    if (paths == 0) return forbid("it is for a partition key, and the container has none");
    if (terms.key->components.size() != paths) return forbid("its partition key is not a whole key of the container");
    return terms.key;
  }
  const bool is_by_id = names_document(granted.kind()) && !document_number(granted, container);
  if (paths == 0 || !is_by_id) return std::nullopt;
  return PartitionKey{std::vector<PartitionKeyComponent>(paths, UndefinedKey{})};
}

// Only operations that stay in the logical partition of their header, or that read no documents.
Status check_key(const Exchange& exchange, const PartitionKey& permitted, const Container& container) {
  const KeyScope scope = exchange.operation().key_scope();
  if (scope == KeyScope::kNoDocuments) return {};
  if (scope == KeyScope::kNone) return forbid("it is for documents of one partition key");
  const Result<std::optional<PartitionKey>> given = exchange.partition_key();
  if (!given) return forbid("it is for one partition key, and that of the request cannot be read");
  const PartitionKeyDefinition& definition = container.definition.partition_key;
  const bool is_everything = *given && (*given)->components.empty() && definition.paths.size() > 1;
  if (scope == KeyScope::kFeedHeader && is_everything) return forbid("it is for one partition key");
  const Result<PartitionKey> key = complete_key(*given, definition);
  if (!key || *key != permitted) return forbid("it is for another partition key");
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
  if (const Value key = definition.find("resourcePartitionKey"); !key.is_undefined()) {
    TRY_ASSIGN(terms.key, whole_key(key));
  }
  return terms;
}

Status check_key_fits(const PermissionTerms& terms, const Catalog& catalog) {
  if (!terms.key) return {};
  TRY_ASSIGN(const ResourcePath granted, ResourcePath::parse(terms.resource));
  const auto container = catalog.container(granted.database(), granted.container());
  if (!container) return {};
  const size_t paths = (*container)->definition.partition_key.paths.size();
  if (terms.key->components.size() == paths) return {};
  return bad_key(fmt::format("it has {} values, the partition key of the container has {}", terms.key->components.size(), paths));
}

Result<TokenLimits> check_permission(const Exchange& exchange, const Catalog& catalog, const PermissionTerms& terms) {
  const Operation& operation = exchange.operation();
  if (!operation.is_served()) return forbid("nothing of the kind is served");
  if (operation.kind == ResourceKind::kAccount || asks_for_metadata_addresses(exchange.path())) return TokenLimits{};
  if (operation.is_write() && !terms.may_write) return forbid("it is for reading only");
  TRY_ASSIGN(const ResourcePath granted, ResourcePath::parse(terms.resource));
  const ResourcePath* addressed = exchange.path().resolve_for();
  const ResourcePath& asked = addressed == nullptr ? exchange.path() : *addressed;
  const std::shared_ptr<const Container> container = shared_container(catalog, granted, asked);
  if (!container) return forbid("it is for something else");
  if (reads_map(operation)) return TokenLimits{};
  const bool is_whole = granted.kind() == ResourceKind::kContainer;
  if (!is_whole && !covers(granted, exchange.path(), *container, catalog)) return forbid("it is for something else");
  // A trigger does what its author wants, in the whole logical partition.
  if (!is_whole && operation.runs_triggers) return forbid("it is for one resource, and a trigger may change others");
  TokenLimits limits{.key = {}, .is_one_resource = granted.kind() == operation.kind && !is_whole};
  TRY_ASSIGN(limits.key, permitted_key(terms, granted, *container));
  if (limits.key) TRY(check_key(exchange, *limits.key, *container));
  return limits;
}

}  // namespace partita::cosmos
