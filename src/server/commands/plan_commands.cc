#include "server/commands/plan_commands.h"

#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "document/stored/stored_writer.h"
#include "server/commands/command_parts.h"
#include "server/commands/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace partita::server {
namespace {

std::string plan_order(const tools::PlanOptions& plan, bool is_json) {
  StoredWriter order;
  order.begin_object();
  order.key("database");
  order.string(plan.database);
  order.key("container");
  order.string(plan.container);
  if (plan.throughput) {
    order.key("throughput");
    order.integer(*plan.throughput);
  }
  order.key("partitionBytes");
  order.integer(static_cast<int64_t>(plan.limits.partition_bytes_max));
  order.key("merge");
  order.boolean(plan.limits.merges);
  order.key("json");
  order.boolean(is_json);
  order.key("partitionKeys");
  order.begin_array();
  for (const std::vector<std::string>& paths : plan.candidates) {
    order.begin_array();
    for (const std::string& path : paths) order.string(path);
    order.end_array();
  }
  order.end_array();
  if (!plan.computed_properties.empty()) {
    order.key("computedProperties");
    order.value(Value::view(plan.computed_properties));
  }
  order.end_object();
  return to_json(order.view());
}

Result<std::string> make_plan(const PlanSplitOptions& options) {
  if (!options.server.endpoint.empty()) {
    return ask_admin(options.server, "POST", "plan", {}, plan_order(options.plan, options.is_json));
  }
  TRY_ASSIGN(const StoredWorld world, open_stopped_to_read(options.data));
  TRY_ASSIGN(const tools::Plan plan, tools::plan_split(*world.catalog, options.plan));
  if (!options.is_json) return tools::plan_text(plan);
  StoredWriter out;
  tools::write_plan(out, plan);
  return to_json(out.view()) + "\n";
}

std::string paths_text(const Value& key) {
  std::vector<std::string_view> paths;
  const Value array = key.find("paths");
  for (size_t i = 0; array.is_array() && i < array.size(); ++i)
    paths.push_back(array.element(i).is_string() ? array.element(i).string() : "?");
  return paths.empty() ? "no partition key" : fmt::format("{}", fmt::join(paths, ","));
}

double number(const Value& object, std::string_view name) {
  const Value found = object.find(name);
  return found.is_number() ? found.number() : 0;
}

// What people decide by.
std::string migration_text(const ReshapeOptions& options, const Value& present, const Value& wanted) {
  const double documents = number(wanted, "documents");
  const double without = number(wanted, "documentsWithoutValue");
  const Value largest = wanted.find("largest");
  const double bytes_of_largest = largest.is_array() && largest.size() > 0 ? number(largest.element(0), "bytes") : 0;
  const auto percent = [](double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; };
  std::string out =
      fmt::format("{}/{}: {} becomes {}\n", options.database, options.container, paths_text(present), paths_text(wanted));
  for (const std::string& definition : options.computed) out += fmt::format("  computed         {}\n", definition);
  out += fmt::format("  documents        {} ({} bytes)\n", documents, number(wanted, "bytes"));
  out += fmt::format("  without a value  {} ({:.1f}%)\n", without, percent(without, documents));
  out += fmt::format("  key values       {} now, {} then; the largest has {:.1f}% of the bytes\n", number(present, "keyValues"),
                     number(wanted, "keyValues"), percent(bytes_of_largest, number(wanted, "bytes")));
  out += fmt::format("  partitions       {} now, {} then\n", present.find("partitions").size(), wanted.find("planned").size());
  return out;
}

// No other answer than yes is taken for one.
bool is_agreed() {
  fmt::print(stderr, "Change the partition key? [y/N] ");
  std::fflush(stderr);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

MigrationVerdict ask_for(const ReshapeOptions& options) {
  if (options.is_confirmed) return MigrationVerdict::kWanted;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    fmt::print(stderr, "partita: there is no terminal to ask on. Nothing was changed; add --yes to carry it out.\n");
    return MigrationVerdict::kUnanswered;
  }
  if (is_agreed()) return MigrationVerdict::kWanted;
  fmt::print(stderr, "Nothing was changed.\n");
  return MigrationVerdict::kRefused;
}

}  // namespace

int run_plan_split(const PlanSplitOptions& options) {
  const Result<std::string> plan = make_plan(options);
  if (!plan) return complain(plan.error());
  fmt::print("{}", terminal_lines(*plan));
  return 0;
}

Result<MigrationVerdict> consider_migration(const ReshapeOptions& options) {
  PlanSplitOptions plan{.data = options.data, .server = options.server, .is_json = true, .plan = {}};
  plan.plan.database = options.database;
  plan.plan.container = options.container;
  plan.plan.candidates = {options.paths};
  plan.plan.computed_properties = computed_properties(options.computed);
  TRY_ASSIGN(const std::string json, make_plan(plan));
  TRY_ASSIGN(const std::string stored, stored_from_json(json));
  const Value present = Value::view(stored).find("present");
  const Value candidates = Value::view(stored).find("candidates");
  if (!present.is_object() || !candidates.is_array() || candidates.size() != 1) {
    return fail(ErrorCode::kInvalidInput, "the server's answer is no plan; is it of another version?");
  }
  const Value wanted = candidates.element(0);
  if (!wanted.find("planned").is_array() || !present.find("partitions").is_array()) {
    return fail(ErrorCode::kInvalidInput, "the server's answer is no plan; is it of another version?");
  }
  fmt::print(options.is_json ? stderr : stdout, "{}", terminal_lines(migration_text(options, present, wanted)));
  std::fflush(stdout);
  if (number(wanted, "documentsWithoutValue") * 2 > number(wanted, "documents") && !options.allows_missing) {
    fmt::print(stderr,
               "partita: most documents have no value at {}{}: they would all become one key value. Nothing was changed.\n"
               "Give another path, or --allow-missing if that is what you want.\n",
               terminal_text(paths_text(wanted)), options.computed.empty() ? "" : ", as they lack what it is computed from");
    return MigrationVerdict::kRefused;
  }
  return ask_for(options);
}

}  // namespace partita::server
