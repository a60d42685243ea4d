#include "cluster/catalog/catalog.h"

#include "base/prefix_end.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

// The part of the catalog that keeps users, permissions and client encryption keys.
namespace partita {
namespace {

constexpr std::string_view kChildCounter = "child";

std::unexpected<Error> no_child(std::string_view id) { return fail(ErrorCode::kNotFound, fmt::format("There is no '{}'.", id)); }

std::unexpected<Error> child_exists() {
  return fail(ErrorCode::kAlreadyExists, "Resource with specified id or name already exists.");
}

std::string_view resource_of(const DatabaseChild& permission) {
  const Value link = Value::view(permission.definition.properties).find("resource");
  std::string_view text = link.is_string() ? link.string() : std::string_view();
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

// A user has one permission for a resource, or for each partition key in it.
bool is_about_the_same(const DatabaseChild& left, const DatabaseChild& right) {
  const auto key_of = [](const DatabaseChild& permission) {
    return Value::view(permission.definition.properties).find("resourcePartitionKey").bytes();
  };
  return resource_of(left) == resource_of(right) && key_of(left) == key_of(right);
}

}  // namespace

ChildPtr Catalog::child(uint32_t number) const {
  const auto lock = reading();
  return children_.find(number);
}

Result<ChildPtr> Catalog::child(const ChildPlace& place, const ResourceName& name) const {
  const auto lock = reading();
  ChildPtr found = children_.find(place, name);
  if (!found) return no_child(name.id);
  return found;
}

std::vector<ChildPtr> Catalog::children(const ChildPlace& place) const {
  const auto lock = reading();
  return children_.list(place);
}

Status Catalog::load_children() {
  return load_rows('u', [this](std::string_view json) -> Status {
    TRY_ASSIGN(DatabaseChild child, decode_child(json));
    children_.put(std::make_shared<const DatabaseChild>(std::move(child)));
    return {};
  });
}

Status Catalog::check_is_current(const ChildPlace& place) const {
  const bool has_user = place.type != ChildType::kPermission || children_.find(place.user) != nullptr;
  if (databases_.contains(place.database) && has_user) return {};
  return fail(ErrorCode::kOwnerNotFound, "The resource that this belongs to has been deleted.");
}

// Keeps the number of the child that it replaces.
Result<ChildPtr> Catalog::put_child(const ChildPlace& place, ChildDefinition definition, const ChildPtr& before) {
  WriteBatch batch(store_);
  auto child = std::make_shared<DatabaseChild>();
  child->place = place;
  child->definition = std::move(definition);
  child->revision = new_revision();
  for (const ChildPtr& other : place.type == ChildType::kPermission ? children_.list(place) : std::vector<ChildPtr>()) {
    if (other == before || !is_about_the_same(*other, *child)) continue;
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("The user has a permission for this resource already: '{}'.", other->definition.id));
  }
  if (before) {
    child->number = before->number;
  } else {
    TRY_ASSIGN(child->number, next_number(kChildCounter, batch));
  }
  batch.put(Family::kCatalog, child_key(*child), encode_child(*child));
  TRY(commit(batch, [this, child] { children_.put(child); }));
  return child;
}

Result<ChildWritten> Catalog::write_child(const ChildPlace& place, ChildDefinition definition, bool may_exist) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, begin_change());
  TRY(check_is_current(place));
  const ChildPtr before = children_.find(place, {.id = definition.id, .number = std::nullopt});
  if (before && !may_exist) return child_exists();
  TRY_ASSIGN(ChildPtr written, put_child(place, std::move(definition), before));
  return ChildWritten{std::move(written), before == nullptr};
}

Result<ChildPtr> Catalog::replace_child(const ChildPlace& place, const ResourceName& name, ChildDefinition definition,
                                        std::string_view if_match) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, begin_change());
  const ChildPtr before = children_.find(place, name);
  if (!before) return no_child(name.id);
  TRY(check_etag(if_match, before->revision));
  const bool is_renamed = definition.id != before->definition.id;
  if (is_renamed && children_.find(place, {.id = definition.id, .number = std::nullopt})) return child_exists();
  return put_child(place, std::move(definition), before);
}

Status Catalog::delete_child(const ChildPlace& place, const ResourceName& name, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, begin_change());
  const ChildPtr before = children_.find(place, name);
  if (!before) return no_child(name.id);
  TRY(check_etag(if_match, before->revision));
  WriteBatch batch(store_);
  batch.erase(Family::kCatalog, child_key(*before));
  if (place.type == ChildType::kUser) {
    const ChildPlace permissions{place.database, ChildType::kPermission, before->number};
    for (const ChildPtr& permission : children_.list(permissions)) batch.erase(Family::kCatalog, child_key(*permission));
  }
  return commit(batch, [this, before] { children_.erase(*before); });
}

}  // namespace partita
