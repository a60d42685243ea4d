#include "base/encodings.h"
#include "cluster/records/key_definition.h"
#include "cluster/records/records.h"
#include "cluster/reshape/reshaper.h"
#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "document/stored/stored_writer.h"
#include "server/commands/command_parts.h"
#include "server/commands/commands.h"
#include "server/commands/plan_commands.h"
#include "tools/check/check_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace partita::server {
namespace {

Result<PartitionKeyDefinition> key_of(const std::vector<std::string>& paths) {
  PartitionKeyDefinition key;
  key.version = 2;
  if (paths.size() > 1) key.kind = PartitionKeyDefinition::Kind::kMultiHash;
  for (const std::string& text : paths) {
    TRY_ASSIGN(DocumentPath path, DocumentPath::parse(text));
    key.paths.push_back(std::move(path));
  }
  return key;
}

Result<ReshapeReport> reshape(Reshaper& reshaper, Command command, const ReshapeOptions& options) {
  if (command == Command::kMerge) return reshaper.merge(options.database, options.container, options.range);
  if (command == Command::kMigrate) {
    TRY_ASSIGN(const PartitionKeyDefinition key, key_of(options.paths));
    const std::string computed = computed_properties(options.computed);
    return reshaper.rekey(options.database, options.container, key, ContainerMode::kOnline,
                          computed.empty() ? Value() : Value::view(computed));
  }
  std::optional<std::string> at;
  if (!options.at.empty()) {
    at = from_hex(options.at);
    if (!at) return fail(ErrorCode::kInvalidInput, fmt::format("invalid --at '{}'; use a hash in hexadecimal", options.at));
  }
  return reshaper.split(options.database, options.container, options.range, at);
}

std::string_view name_of(Command command) {
  return command == Command::kSplit ? "split" : command == Command::kMerge ? "merge" : "migrate";
}

// For people, from what write_report() wrote.
std::string report_text(Command command, const Value& report) {
  const auto texts = [&](std::string_view name) {
    std::vector<std::string_view> all;
    const Value array = report.find(name);
    for (size_t i = 0; array.is_array() && i < array.size(); ++i) all.push_back(array.element(i).string());
    return fmt::format("{}", fmt::join(all, ", "));
  };
  const auto number = [&](std::string_view name) { return report.find(name).is_number() ? report.find(name).number() : 0; };
  std::string out = fmt::format("{}: {} became {}; {} documents, {} bytes in {:.3f} s; writers waited {:.1f} ms",
                                name_of(command), texts("parents"), texts("children"), number("documents"), number("bytes"),
                                number("copyMs") / 1000, number("pauseMs"));
  if (number("verified") > 0) out += fmt::format("; {} documents verified", number("verified"));
  out += "\n";
  if (command == Command::kMigrate) {
    out += "Programs that use the container must read it again, to learn its new partition key.\n";
  }
  return out;
}

void print_report(Command command, const ReshapeOptions& options, const Value& report) {
  fmt::print("{}", options.is_json ? to_json(report) + "\n" : terminal_lines(report_text(command, report)));
}

// Everything there must be consistent afterwards, and as many documents as before.
Status verify_reshaped(const StoredWorld& world, const ReshapeOptions& options, uint64_t documents_before) {
  TRY_ASSIGN(const std::shared_ptr<const Container> container, world.catalog->container(options.database, options.container));
  TRY_ASSIGN(const tools::CheckTotals totals, tools::check_container(*container, [&](std::string_view line) {
               fmt::print(options.is_json ? stderr : stdout, "{}\n", terminal_text(line));
             }));
  if (totals.faults == 0 && totals.documents == documents_before) {
    if (!options.is_json) fmt::print("Verified: all {} documents are there, nothing is wrong.\n", totals.documents);
    return {};
  }
  return fail(ErrorCode::kCorruption,
              fmt::format("{} faults, {} documents instead of {}", totals.faults, totals.documents, documents_before));
}

uint64_t documents_in(const Container& container) {
  uint64_t documents = 0;
  for (const PartitionPlace& place : container.places) documents += place.partition->counters().documents;
  return documents;
}

Status reshape_offline(Command command, const ReshapeOptions& options) {
  TRY_ASSIGN(const StoredWorld world, open_stopped(options.data));
  Reshaper reshaper(*world.store, *world.catalog, *world.clock, {});
  uint64_t before = 0;
  {
    TRY_ASSIGN(const std::shared_ptr<const Container> container, world.catalog->container(options.database, options.container));
    before = documents_in(*container);
  }
  TRY_ASSIGN(const ReshapeReport report, reshape(reshaper, command, options));
  StoredWriter written;
  write_report(written, report);
  print_report(command, options, written.view());
  TRY(verify_reshaped(world, options, before));
  return reshaper.drop_retired();
}

// What the admin API of a running server is to do.
Result<std::string> order_of(Command command, const ReshapeOptions& options) {
  StoredWriter order;
  const auto text = [&](std::string_view name, std::string_view value) {
    order.key(name);
    order.string(value);
  };
  order.begin_object();
  text("database", options.database);
  text("container", options.container);
  text("mode", options.mode);
  if (!options.range.empty()) text("range", options.range);
  if (!options.at.empty()) text("at", options.at);
  if (command == Command::kMigrate) {
    TRY_ASSIGN(const PartitionKeyDefinition key, key_of(options.paths));
    order.key("partitionKey");
    write_partition_key_definition(order, key);
    if (const std::string computed = computed_properties(options.computed); !computed.empty()) {
      order.key("computedProperties");
      order.value(Value::view(computed));
    }
  }
  order.end_object();
  return to_json(order.view());
}

Status reshape_online(Command command, const ReshapeOptions& options) {
  const std::string_view name = command == Command::kMigrate ? "rekey" : name_of(command);
  TRY_ASSIGN(const std::string order, order_of(command, options));
  TRY_ASSIGN(const std::string report, ask_admin(options.server, "POST", name, {}, order));
  TRY_ASSIGN(const std::string stored, stored_from_json(report));
  print_report(command, options, Value::view(stored));
  return {};
}

}  // namespace

int run_reshape(Command command, const ReshapeOptions& options) {
  if (command == Command::kMigrate) {
    const Result<MigrationVerdict> verdict = consider_migration(options);
    if (!verdict) return complain(verdict.error());
    if (*verdict != MigrationVerdict::kWanted) return *verdict == MigrationVerdict::kUnanswered ? kUsageExitCode : 1;
  }
  const bool is_online = !options.server.endpoint.empty();
  const Status outcome = is_online ? reshape_online(command, options) : reshape_offline(command, options);
  return outcome ? 0 : complain(outcome.error());
}

}  // namespace partita::server
