#include "protocols/cosmos/handlers/children/child_answer.h"

#include "base/check.h"
#include "protocols/cosmos/authorization/permission_scope.h"
#include "protocols/cosmos/authorization/resource_token.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/codec/resource_json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace partita::cosmos {
namespace {

constexpr std::array<std::string_view, 7> kOwnMembers = {"id", "_rid", "_self", "_etag", "_ts", "_permissions", "_token"};

void text(StoredWriter& out, std::string_view key, std::string_view value) {
  out.key(key);
  out.string(value);
}

ChildType child_type(ResourceKind kind) {
  if (kind == ResourceKind::kPermission) return ChildType::kPermission;
  if (kind == ResourceKind::kClientEncryptionKey) return ChildType::kEncryptionKey;
  CHECK(kind == ResourceKind::kUser);
  return ChildType::kUser;
}

UserRid user_rid(const ChildPlace& place, uint32_t user) { return {.database = place.database, .user = user}; }

void write_rid(StoredWriter& out, const auto& rid) {
  std::string self_link;
  append_self_link(self_link, rid);
  text(out, "_rid", rid_text(rid));
  text(out, "_self", self_link);
}

void write_rid_of(StoredWriter& out, const DatabaseChild& child) {
  switch (child.place.type) {
    case ChildType::kUser: return write_rid(out, user_rid(child.place, child.number));
    case ChildType::kPermission:
      return write_rid(out, PermissionRid{.user = user_rid(child.place, child.place.user), .ordinal = child.number});
    case ChildType::kEncryptionKey:
      return write_rid(out, ClientEncryptionKeyRid{.database = child.place.database, .key = child.number});
  }
}

Result<int64_t> token_seconds(const Exchange& exchange) {
  const std::string_view given = exchange.header(header::kTokenExpirySeconds);
  if (given.empty()) return kTokenSecondsDefault;
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), seconds);
  const bool is_number = error == std::errc() && end == given.data() + given.size();
  if (is_number && seconds >= kTokenSecondsMin && seconds <= kTokenSecondsMax) return seconds;
  return fail(ErrorCode::kInvalidInput, fmt::format("A resource token can be good for {} to {} seconds, not for '{}'.",
                                                    kTokenSecondsMin, kTokenSecondsMax, given));
}

std::optional<uint64_t> number_in_rid(ResourceKind kind, std::string_view name) {
  if (kind == ResourceKind::kUser) {
    if (const auto rid = parse_resource_id_as<UserRid>(name)) return rid->user;
  } else if (kind == ResourceKind::kPermission) {
    if (const auto rid = parse_resource_id_as<PermissionRid>(name)) return rid->ordinal;
  } else if (const auto rid = parse_resource_id_as<ClientEncryptionKeyRid>(name)) {
    return rid->key;
  }
  return std::nullopt;
}

ResourceName name_in(const ResourcePath& path, ResourceKind kind, std::string_view name) {
  return {.id = name, .number = path.is_resource_id_shaped() ? number_in_rid(kind, name) : std::nullopt};
}

}  // namespace

std::string_view child_feed_name(ChildType type) {
  switch (type) {
    case ChildType::kUser: return "Users";
    case ChildType::kPermission: return "Permissions";
    case ChildType::kEncryptionKey: return "ClientEncryptionKeys";
  }
  return "";
}

Result<ChildPlace> child_place(const Service& service, const Exchange& exchange) {
  const ResourcePath& path = exchange.path();
  Result<std::shared_ptr<const Database>> database = service.catalog().database(path.database());
  if (!database) return fail(ErrorCode::kOwnerNotFound, std::move(database.error().message));
  ChildPlace place{.database = (*database)->number, .type = child_type(path.kind()), .user = 0};
  if (place.type != ChildType::kPermission) return place;
  const ChildPlace users{.database = place.database, .type = ChildType::kUser, .user = 0};
  Result<ChildPtr> user = service.catalog().children().find(users, name_in(path, ResourceKind::kUser, path.user()));
  if (!user) return fail(ErrorCode::kOwnerNotFound, std::move(user.error().message));
  place.user = (*user)->number;
  return place;
}

ResourceName child_name(const Exchange& exchange) {
  return name_in(exchange.path(), exchange.path().kind(), exchange.path().name());
}

Result<ChildDefinition> parse_child(const Service& service, const Exchange& exchange, const Value& body, ChildType type) {
  const Value id = body.find("id");
  if (!id.is_string()) {
    return fail(ErrorCode::kInvalidInput, "The input content is invalid because the required properties - 'id; ' - are missing");
  }
  if (type == ChildType::kPermission) {
    TRY_ASSIGN(const PermissionTerms terms, permission_terms(body));
    TRY(check_key_fits(terms, service.catalog()));
    TRY(token_seconds(exchange));
  }
  ChildDefinition definition;
  definition.id = id.string();
  definition.properties = properties_besides(body, kOwnMembers);
  return definition;
}

Status write_child(StoredWriter& out, const Service& service, const Exchange& exchange, const DatabaseChild& child) {
  out.begin_object();
  text(out, "id", child.definition.id);
  const Value properties = Value::view(child.definition.properties);
  for (size_t i = 0; i < properties.size(); ++i) {
    out.key(properties.member(i).key);
    out.value(properties.member(i).value);
  }
  write_rid_of(out, child);
  text(out, "_etag", child.revision.etag);
  out.key("_ts");
  out.integer(child.revision.unix_seconds);
  if (child.place.type == ChildType::kUser) text(out, "_permissions", "permissions/");
  if (child.place.type == ChildType::kPermission) {
    TRY_ASSIGN(const int64_t seconds, token_seconds(exchange));
    text(out, "_token", make_resource_token(service.keys().keyring(), child.number, service.clock().unix_seconds() + seconds));
  }
  out.end_object();
  return {};
}

std::string owner_rid(const ChildPlace& place) {
  return place.type == ChildType::kPermission ? rid_text(user_rid(place, place.user)) : rid_text(DatabaseRid{place.database});
}

void answer_child(const Service& service, Exchange& exchange, const Result<ChildPtr>& child, int status) {
  if (!child) return exchange.answer_error(child.error());
  StoredWriter out;
  if (const Status written = write_child(out, service, exchange, **child); !written)
    return exchange.answer_error(written.error());
  exchange.set_etag((*child)->revision.etag);
  exchange.answer_json(status, out.view());
}

}  // namespace partita::cosmos
