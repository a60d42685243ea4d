#include "cluster/database_child.h"

#include <algorithm>

namespace partita {

ChildPtr ChildShelf::find(uint32_t number) const {
  const auto found = by_number_.find(number);
  return found == by_number_.end() ? nullptr : found->second;
}

ChildPtr ChildShelf::find(const ChildPlace& place, const ResourceName& name) const {
  if (!name.number) {
    const auto by_id = by_name_.find({place, std::string(name.id)});
    return by_id == by_name_.end() ? nullptr : by_id->second;
  }
  if (*name.number > UINT32_MAX) return nullptr;
  ChildPtr by_number = find(static_cast<uint32_t>(*name.number));
  return by_number && by_number->place == place ? by_number : nullptr;
}

std::vector<ChildPtr> ChildShelf::list(const ChildPlace& place) const {
  std::vector<ChildPtr> all;
  for (auto each = by_name_.lower_bound({place, ""}); each != by_name_.end() && each->first.first == place; ++each) {
    all.push_back(each->second);
  }
  std::ranges::sort(all, {}, [](const ChildPtr& child) { return child->number; });
  return all;
}

void ChildShelf::put(const ChildPtr& child) {
  if (const ChildPtr before = find(child->number)) by_name_.erase({before->place, before->definition.id});
  by_number_[child->number] = child;
  by_name_[{child->place, child->definition.id}] = child;
}

void ChildShelf::erase(const DatabaseChild& child) {
  const ChildPlace permissions{child.place.database, ChildType::kPermission, child.number};
  if (child.place.type == ChildType::kUser) {
    for (const ChildPtr& permission : list(permissions)) erase(*permission);
  }
  by_name_.erase({child.place, child.definition.id});
  by_number_.erase(child.number);
}

void ChildShelf::erase_database(uint32_t database) {
  std::erase_if(by_number_, [&](const auto& each) { return each.second->place.database == database; });
  std::erase_if(by_name_, [&](const auto& each) { return each.second->place.database == database; });
}

}  // namespace partita
