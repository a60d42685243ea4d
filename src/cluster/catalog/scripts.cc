#include "cluster/catalog/scripts.h"

#include "cluster/catalog/resource_checks.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita {
namespace {

constexpr std::string_view kScriptCounter = "script";

std::unexpected<Error> no_script(std::string_view id) {
  return fail(ErrorCode::kNotFound, fmt::format("The script '{}' does not exist.", id));
}

std::unexpected<Error> script_exists() {
  return fail(ErrorCode::kAlreadyExists, "There is a script with this id already.", ErrorDetail::kResourceExists);
}

}  // namespace

ScriptPtr Scripts::look_up(uint32_t container, ScriptType type, const ResourceName& name) const {
  if (name.number) {
    if (*name.number > UINT32_MAX) return nullptr;
    const auto found = by_number_.find(static_cast<uint32_t>(*name.number));
    const bool is_there = found != by_number_.end() && found->second->container == container && found->second->type == type;
    return is_there ? found->second : nullptr;
  }
  const auto shelf = shelves_.find(container);
  if (shelf == shelves_.end()) return nullptr;
  const auto by_id = shelf->second.find({type, std::string(name.id)});
  return by_id == shelf->second.end() ? nullptr : by_id->second;
}

void Scripts::shelve(const ScriptPtr& script, const ScriptPtr& before) {
  ScriptShelf& shelf = shelves_[script->container];
  if (before) shelf.erase({before->type, before->definition.id});
  shelf[{script->type, script->definition.id}] = script;
  by_number_[script->number] = script;
}

void Scripts::forget(const Container& container) {
  const auto shelf = shelves_.find(container.number);
  if (shelf == shelves_.end()) return;
  for (const auto& [key, script] : shelf->second) by_number_.erase(script->number);
  shelves_.erase(shelf);
}

Result<ScriptPtr> Scripts::find(const Container& container, ScriptType type, const ResourceName& name) const {
  const auto lock = changes_.reading();
  ScriptPtr found = look_up(container.number, type, name);
  if (!found) return no_script(name.id);
  return found;
}

bool Scripts::is_empty() const {
  const auto lock = changes_.reading();
  return std::ranges::all_of(shelves_, [](const auto& each) { return each.second.empty(); });
}

std::vector<ScriptPtr> Scripts::list(const Container& container, ScriptType type) const {
  const auto lock = changes_.reading();
  std::vector<ScriptPtr> all;
  const auto shelf = shelves_.find(container.number);
  if (shelf == shelves_.end()) return all;
  for (const auto& [key, script] : shelf->second) {
    if (script->type == type) all.push_back(script);
  }
  std::ranges::sort(all, {}, [](const ScriptPtr& script) { return script->number; });
  return all;
}

Status Scripts::load() {
  return changes_.for_each_record('s', [this](std::string_view json) -> Status {
    TRY_ASSIGN(ScriptResource script, decode_script(json));
    TRY_ASSIGN(script.loan, changes_.memory().take(script.database, script.memory_bytes(), FairMemory::Claim::kAlways));
    shelve(std::make_shared<const ScriptResource>(std::move(script)), nullptr);
    return {};
  });
}

Result<ScriptWritten> Scripts::write(const Container& container, ScriptType type, ScriptDefinition definition, bool may_exist) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY(check_is_current(map_, container));
  const ScriptPtr before = look_up(container.number, type, {.id = definition.id, .number = std::nullopt});
  if (before && !may_exist) return script_exists();
  auto script = std::make_shared<ScriptResource>();
  script->database = container.database->number;
  script->container = container.number;
  script->type = type;
  script->definition = std::move(definition);
  TRY_ASSIGN(ScriptPtr written, put(std::move(script), before));
  return ScriptWritten{std::move(written), before == nullptr};
}

Result<ScriptPtr> Scripts::replace(const Container& container, ScriptType type, const ResourceName& name,
                                   ScriptDefinition definition, std::string_view if_match) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY(check_is_current(map_, container));
  const ScriptPtr before = look_up(container.number, type, name);
  if (!before) return no_script(name.id);
  TRY(check_etag(if_match, before->revision));
  const bool is_renamed = definition.id != before->definition.id;
  if (is_renamed && look_up(container.number, type, {.id = definition.id, .number = std::nullopt})) return script_exists();
  auto script = std::make_shared<ScriptResource>(*before);
  script->definition = std::move(definition);
  return put(std::move(script), before);
}

Status Scripts::erase(const Container& container, ScriptType type, const ResourceName& name, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, changes_.begin());
  TRY(check_is_current(map_, container));
  const ScriptPtr before = look_up(container.number, type, name);
  if (!before) return no_script(name.id);
  TRY(check_etag(if_match, before->revision));
  WriteBatch batch(changes_.store());
  batch.erase(Family::kCatalog, script_key(*before));
  return changes_.commit(batch, [this, before] {
    shelves_[before->container].erase({before->type, before->definition.id});
    by_number_.erase(before->number);
  });
}

// Keeps the number of the script that it replaces.
Result<ScriptPtr> Scripts::put(std::shared_ptr<ScriptResource> script, const ScriptPtr& before) {
  const bool is_larger = !before || script->memory_bytes() > before->memory_bytes();
  const auto claim = is_larger ? FairMemory::Claim::kShare : FairMemory::Claim::kAlways;  // the one before gives its back
  TRY_ASSIGN(script->loan, changes_.memory().take(script->database, script->memory_bytes(), claim));
  WriteBatch batch(changes_.store());
  script->revision = changes_.new_revision();
  if (before) {
    script->number = before->number;
  } else {
    TRY_ASSIGN(script->number, changes_.next_number(kScriptCounter, batch));
  }
  batch.put(Family::kCatalog, script_key(*script), encode_script(*script));
  TRY(changes_.commit(batch, [this, script, before] { shelve(script, before); }));
  return script;
}

}  // namespace partita
