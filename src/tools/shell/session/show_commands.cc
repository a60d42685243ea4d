#include "base/encodings.h"
#include "client/resources/containers.h"
#include "client/resources/resource_feeds.h"
#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "document/stored/stored_writer.h"
#include "tools/shell/session/session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace partita::tools {
namespace {

std::string row_of(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  StoredWriter out;
  out.begin_object();
  for (const auto& [name, text] : members) {
    out.key(name);
    out.string(text.empty() ? "-" : text);
  }
  out.end_object();
  return out.take();
}

std::string key_text(const PartitionKeyDefinition& key) {
  std::vector<std::string> paths;
  for (const DocumentPath& path : key.paths) paths.push_back(path.text());
  return fmt::format("{}", fmt::join(paths, ","));
}

void append_lines(std::string& out, const Value& value, size_t depth) {
  const std::string inner(2 * (depth + 1), ' ');
  const std::string outer(2 * depth, ' ');
  if (value.is_object() && value.size() > 0) {
    out += "{\n";
    for (size_t i = 0; i < value.size(); ++i) {
      out += inner;
      append_json_string(out, value.member(i).key);
      out += ": ";
      append_lines(out, value.member(i).value, depth + 1);
      out += i + 1 < value.size() ? ",\n" : "\n";
    }
    out += outer + "}";
  } else if (value.is_array() && value.size() > 0 && (value.element(0).is_object() || value.element(0).is_array())) {
    out += "[\n";
    for (size_t i = 0; i < value.size(); ++i) {
      out += inner;
      append_lines(out, value.element(i), depth + 1);
      out += i + 1 < value.size() ? ",\n" : "\n";
    }
    out += outer + "]";
  } else {
    append_json(out, value);
  }
}

}  // namespace

std::string editable_json(const Value& document) {
  StoredWriter kept;
  kept.begin_object();
  for (size_t i = 0; i < document.size(); ++i) {
    if (is_system_property(document.member(i).key)) continue;
    kept.key(document.member(i).key);
    kept.value(document.member(i).value);
  }
  kept.end_object();
  std::string out;
  append_lines(out, kept.view(), 0);
  return out + "\n";
}

void Session::print_table(const std::vector<std::string>& rows) {
  const auto writer = make_row_writer(format_, console_.style(), [this](std::string_view out) { console_.print(out); });
  for (const std::string& row : rows) writer->add(Value::view(row));
  writer->end();
  if (rows.empty()) console_.remark("(none)\n");
}

client::Answer<void> Session::show(const ShellCommand& command) {
  const std::string what = command.words.empty() ? std::string() : command.words.front();
  if (what == "databases") return show_databases();
  if (what == "containers") return show_containers();
  if (what == "container") return show_container();
  if (what == "procedures") return show_procedures();
  return std::unexpected(
      client::Failure(Error{ErrorCode::kInvalidInput, "show databases, show containers, show container or show procedures"}));
}

client::Answer<void> Session::show_databases() {
  TRY_ASSIGN(const std::vector<std::string> ids, client::list_databases(client_));
  std::vector<std::string> rows;
  for (const std::string& id : ids) rows.push_back(row_of({{"database", id}}));
  print_table(rows);
  return {};
}

client::Answer<void> Session::show_containers() {
  if (database_.empty()) {
    return std::unexpected(client::Failure(Error{ErrorCode::kInvalidInput, "no database is in use; `use DATABASE` first"}));
  }
  TRY_ASSIGN(const std::vector<client::ContainerDefinition> containers, client::list_containers(client_, database_));
  std::vector<std::string> rows;
  for (const client::ContainerDefinition& each : containers) {
    rows.push_back(row_of({{"container", each.id}, {"partition key", key_text(each.partition_key)}}));
  }
  print_table(rows);
  return {};
}

client::Answer<void> Session::show_container() {
  TRY_ASSIGN(const client::Container container, this->container());
  TRY_ASSIGN(const auto definition, container.definition());
  TRY_ASSIGN(const std::string stored, stored_from_json(definition->json));
  console_.print(terminal_lines(editable_json(Value::view(stored))));
  return {};
}

client::Answer<std::vector<std::string>> Session::procedure_names() const {
  TRY_ASSIGN(const client::Container container, this->container());
  const client::Request request{.method = "GET",
                                .path = container.name().path() + "/sprocs",
                                .resource_type = "sprocs",
                                .resource_link = container.name().link()};
  std::vector<std::string> names;
  TRY(client::read_feed(client_, request, "StoredProcedures", [&](const Value& each) -> Status {
    if (const Value id = each.find("id"); id.is_string()) names.push_back(terminal_text(id.string()));
    return {};
  }));
  return names;
}

client::Answer<void> Session::show_procedures() {
  TRY_ASSIGN(const std::vector<std::string> names, procedure_names());
  std::vector<std::string> rows;
  for (const std::string& name : names) rows.push_back(row_of({{"procedure", name}}));
  print_table(rows);
  return {};
}

client::Answer<void> Session::show_ranges() {
  TRY_ASSIGN(const client::Container container, this->container());
  TRY_ASSIGN(const auto ranges, client::read_partition_ranges(client_, container.name()));
  std::vector<std::string> rows;
  for (const client::PartitionRange& each : ranges) {
    rows.push_back(row_of({{"range", each.id},
                           {"from", hex_upper(each.hashes.min)},
                           {"to", hex_upper(each.hashes.max)},
                           {"parents", fmt::format("{}", fmt::join(each.parents, ","))}}));
  }
  print_table(rows);
  return {};
}

}  // namespace partita::tools
