#include "cluster/catalog/catalog.h"

#include "cluster/catalog/catalog_parts.h"
#include "cluster/records/records.h"

#include <fmt/format.h>

#include <algorithm>

// The part of the catalog that keeps scripts.
namespace partita {
namespace {

std::unexpected<Error> no_script(std::string_view id) {
  return fail(ErrorCode::kNotFound, fmt::format("The script '{}' does not exist.", id));
}

std::unexpected<Error> script_exists() {
  return fail(ErrorCode::kAlreadyExists, "Resource with specified id or name already exists.");
}

}  // namespace

ScriptPtr Catalog::find_script(uint32_t container, ScriptType type, const ResourceName& name) const {
  const auto shelf = scripts_.find(container);
  if (shelf == scripts_.end()) return nullptr;
  if (!name.number) {
    const auto by_id = shelf->second.find({type, std::string(name.id)});
    return by_id == shelf->second.end() ? nullptr : by_id->second;
  }
  for (const auto& [key, script] : shelf->second) {
    if (script->type == type && script->number == *name.number) return script;
  }
  return nullptr;
}

Result<ScriptPtr> Catalog::script(const Container& container, ScriptType type, const ResourceName& name) const {
  const auto lock = reading();
  ScriptPtr found = find_script(container.number, type, name);
  if (!found) return no_script(name.id);
  return found;
}

std::vector<ScriptPtr> Catalog::scripts(const Container& container, ScriptType type) const {
  const auto lock = reading();
  std::vector<ScriptPtr> all;
  const auto shelf = scripts_.find(container.number);
  if (shelf == scripts_.end()) return all;
  for (const auto& [key, script] : shelf->second) {
    if (script->type == type) all.push_back(script);
  }
  std::ranges::sort(all, {}, [](const ScriptPtr& script) { return script->number; });
  return all;
}

Status Catalog::load_scripts() {
  return load_rows('s', [this](std::string_view json) -> Status {
    TRY_ASSIGN(ScriptResource script, decode_script(json));
    auto loaded = std::make_shared<const ScriptResource>(std::move(script));
    scripts_[loaded->container][{loaded->type, loaded->definition.id}] = loaded;
    return {};
  });
}

Result<ScriptWritten> Catalog::write_script(const Container& container, ScriptType type, ScriptDefinition definition,
                                            bool may_exist) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, begin_change());
  TRY(check_is_current(container));
  const ScriptPtr before = find_script(container.number, type, {.id = definition.id, .number = std::nullopt});
  if (before && !may_exist) return script_exists();
  auto script = std::make_shared<ScriptResource>();
  script->database = container.database->number;
  script->container = container.number;
  script->type = type;
  script->definition = std::move(definition);
  TRY_ASSIGN(ScriptPtr written, put_script(std::move(script), before));
  return ScriptWritten{std::move(written), before == nullptr};
}

Result<ScriptPtr> Catalog::replace_script(const Container& container, ScriptType type, const ResourceName& name,
                                          ScriptDefinition definition, std::string_view if_match) {
  TRY(check_resource_id(definition.id));
  TRY_ASSIGN(const auto changes, begin_change());
  TRY(check_is_current(container));
  const ScriptPtr before = find_script(container.number, type, name);
  if (!before) return no_script(name.id);
  TRY(check_etag(if_match, before->revision));
  const bool is_renamed = definition.id != before->definition.id;
  if (is_renamed && find_script(container.number, type, {.id = definition.id, .number = std::nullopt})) return script_exists();
  auto script = std::make_shared<ScriptResource>(*before);
  script->definition = std::move(definition);
  return put_script(std::move(script), before);
}

Status Catalog::delete_script(const Container& container, ScriptType type, const ResourceName& name, std::string_view if_match) {
  TRY_ASSIGN(const auto changes, begin_change());
  TRY(check_is_current(container));
  const ScriptPtr before = find_script(container.number, type, name);
  if (!before) return no_script(name.id);
  TRY(check_etag(if_match, before->revision));
  WriteBatch batch(store_);
  batch.erase(Family::kCatalog, script_key(*before));
  return commit(batch, [this, before] { scripts_[before->container].erase({before->type, before->definition.id}); });
}

// Keeps the number of the script that it replaces.
Result<ScriptPtr> Catalog::put_script(std::shared_ptr<ScriptResource> script, const ScriptPtr& before) {
  WriteBatch batch(store_);
  script->revision = new_revision();
  if (before) {
    script->number = before->number;
  } else {
    TRY_ASSIGN(script->number, next_number(kScriptCounter, batch));
  }
  batch.put(Family::kCatalog, script_key(*script), encode_script(*script));
  TRY(commit(batch, [this, script, before] {
    ScriptShelf& shelf = scripts_[script->container];
    if (before) shelf.erase({before->type, before->definition.id});
    shelf[{script->type, script->definition.id}] = script;
  }));
  return script;
}

}  // namespace partita
