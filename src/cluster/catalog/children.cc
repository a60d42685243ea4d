#include "cluster/catalog/children.h"

#include "cluster/catalog/resource_checks.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

namespace partita {
namespace {

constexpr std::string_view kChildCounter = "child";

std::unexpected<Error> no_child(std::string_view id) { return fail(ErrorCode::kNotFound, fmt::format("There is no '{}'.", id)); }

std::unexpected<Error> child_exists() {
  return fail(ErrorCode::kAlreadyExists, "The id is taken already.", ErrorDetail::kResourceExists);
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

ChildPtr Children::find(uint32_t number) const {
  const auto lock = changes_.reading();
  return shelf_.find(number);
}

Result<ChildPtr> Children::find(const ChildPlace& place, const ResourceName& name) const {
  const auto lock = changes_.reading();
  ChildPtr found = shelf_.find(place, name);
  if (!found) return no_child(name.id);
  return found;
}

std::vector<ChildPtr> Children::list(const ChildPlace& place) const {
  const auto lock = changes_.reading();
  return shelf_.list(place);
}

Status Children::load() {
  return changes_.for_each_record('u', [this](std::string_view json) -> Status {
    TRY_ASSIGN(DatabaseChild child, decode_child(json));
    TRY_ASSIGN(child.loan, changes_.memory().take(child.place.database, child.memory_bytes(), FairMemory::Claim::kAlways));
    shelf_.put(std::make_shared<const DatabaseChild>(std::move(child)));
    return {};
  });
}

Status Children::check_has_owner(const ChildPlace& place) const {
  const bool has_user = place.type != ChildType::kPermission || shelf_.find(place.user) != nullptr;
  if (map_.find(place.database) != nullptr && has_user) return {};
  return fail(ErrorCode::kOwnerNotFound, "The resource that this belongs to has been deleted.");
}

// Keeps the number of the child that it replaces.
Result<ChildPtr> Children::put(const ChildPlace& place, ChildDefinition definition, const ChildPtr& before) {
  WriteBatch batch(changes_.store());
  auto child = std::make_shared<DatabaseChild>();
  child->place = place;
  child->definition = std::move(definition);
  child->revision = changes_.new_revision();
  for (const ChildPtr& other : place.type == ChildType::kPermission ? shelf_.list(place) : std::vector<ChildPtr>()) {
    if (other == before || !is_about_the_same(*other, *child)) continue;
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("The user has a permission for this resource already: '{}'.", other->definition.id));
  }
  const bool is_larger = !before || child->memory_bytes() > before->memory_bytes();
  const auto claim = is_larger ? FairMemory::Claim::kShare : FairMemory::Claim::kAlways;  // the one before gives its back
  TRY_ASSIGN(child->loan, changes_.memory().take(place.database, child->memory_bytes(), claim));
  if (before) {
    child->number = before->number;
  } else {
    TRY_ASSIGN(child->number, changes_.next_number(kChildCounter, batch));
  }
  batch.put(Family::kCatalog, child_key(*child), encode_child(*child));
  TRY(changes_.commit(batch, [this, child] { shelf_.put(child); }));
  return child;
}

Result<ChildWritten> Children::write(const ChildPlace& place, ChildDefinition definition, bool may_exist) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY(check_has_owner(place));
  const ChildPtr before = shelf_.find(place, {.id = definition.id, .number = std::nullopt});
  if (before && !may_exist) return child_exists();
  TRY_ASSIGN(ChildPtr written, put(place, std::move(definition), before));
  return ChildWritten{std::move(written), before == nullptr};
}

Result<ChildPtr> Children::replace(const ChildPlace& place, const ResourceName& name, ChildDefinition definition,
                                   std::string_view if_match) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, changes_.begin());
  const ChildPtr before = shelf_.find(place, name);
  if (!before) return no_child(name.id);
  TRY(check_etag(if_match, before->revision));
  const bool is_renamed = definition.id != before->definition.id;
  if (is_renamed && shelf_.find(place, {.id = definition.id, .number = std::nullopt})) return child_exists();
  return put(place, std::move(definition), before);
}

Status Children::erase(const ChildPlace& place, const ResourceName& name, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  const ChildPtr before = shelf_.find(place, name);
  if (!before) return no_child(name.id);
  TRY(check_etag(if_match, before->revision));
  WriteBatch batch(changes_.store());
  batch.erase(Family::kCatalog, child_key(*before));
  if (place.type == ChildType::kUser) {
    const ChildPlace permissions{place.database, ChildType::kPermission, before->number};
    for (const ChildPtr& permission : shelf_.list(permissions)) batch.erase(Family::kCatalog, child_key(*permission));
  }
  return changes_.commit(batch, [this, before] { shelf_.erase(*before); });
}

}  // namespace partita
