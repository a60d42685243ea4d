#include "tools/bench/run/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace partita::tools::bench {
namespace {

// Made shorter by what nobody needs who reads it in a terminal. What a server says is no mistake in the command.
std::unexpected<Error> explain(std::string_view what, const client::Failure& failure) {
  const std::string status = failure.status == 0 ? "" : fmt::format(" ({})", failure.status);
  const ErrorCode code = failure.code == ErrorCode::kInvalidInput ? ErrorCode::kUnavailable : failure.code;
  return fail(code, fmt::format("{}: {}{}", what, failure.message, status));
}

}  // namespace

std::optional<double> metric_in(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ') continue;
    double value = 0;
    const char* first = line.data() + name.size() + 1;
    return std::from_chars(first, line.data() + line.size(), value).ec == std::errc() ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

Status Target::prepare(const BenchOptions& options) {
  name_ = {options.database, options.container};
  client::Answer<client::ContainerDefinition> found = client::read_container(client_, name_);
  if (found && !options.is_reusing) {
    return fail(
        ErrorCode::kAlreadyExists,
        fmt::format("the container {}/{} exists; --reuse runs in it and replaces documents there, --container names another",
                    options.database, options.container));
  }
  if (!found && found.error().status != 404) return explain("cannot read the container", found.error());
  if (found) {
    definition_ = *std::move(found);
  } else {
    TRY(make_container(options));
  }
  const std::vector<DocumentPath>& paths = definition_.partition_key.paths;
  if (paths.size() != 1 || paths.front().text() != options.partition_key) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("the container's partition key is {}; give it as --partition-key, if it has one path",
                            paths.empty() ? "missing" : paths.front().text()));
  }
  client::Answer<std::vector<client::PartitionRange>> ranges = client::read_partition_ranges(client_, name_);
  if (ranges) ranges_ = *std::move(ranges);  // without them, refusals are counted for no partition
  return {};
}

Status Target::make_container(const BenchOptions& options) {
  const client::Answer<client::Response> database = client::read_database(client_, options.database);
  if (!database) {
    if (database.error().status != 404) return explain("cannot read the database", database.error());
    const client::Answer<client::Response> made = client::create_database(client_, options.database);
    if (!made) return explain("cannot create the database", made.error());
    made_database_ = true;
  }
  const std::array<std::string, 1> paths = {options.partition_key};
  TRY_ASSIGN(PartitionKeyDefinition key, client::partition_key_definition(paths));
  client::ContainerDefinition wanted;
  wanted.id = options.container;
  wanted.partition_key = std::move(key);
  client::Answer<client::ContainerDefinition> made =
      client::create_container(client_, options.database, wanted, {.manual = options.throughput});
  if (!made) return explain("cannot create the container", made.error());
  made_container_ = true;
  definition_ = *std::move(made);
  return {};
}

Status Target::clean_up() const {
  if (made_database_) {
    const client::Answer<client::Response> gone = client::delete_database(client_, name_.database);
    if (!gone) return explain("cannot delete the database", gone.error());
  } else if (made_container_) {
    const client::Answer<client::Response> gone = client::delete_container(client_, name_);
    if (!gone) return explain("cannot delete the container", gone.error());
  }
  return {};
}

FindRange Target::find_range() const {
  return [ranges = ranges_, key_definition = definition_.partition_key](const PartitionKey& key) -> std::string {
    const EffectivePartitionKey hash = effective_partition_key(key, key_definition);
    const auto found =
        std::ranges::find_if(ranges, [&](const client::PartitionRange& range) { return range.hashes.contains(hash); });
    return found == ranges.end() ? std::string() : found->id;
  };
}

std::optional<double> Target::server_cpu_seconds() const {
  const client::Answer<client::Response> metrics = client_.send({.path = "/_metrics"});
  if (!metrics || !metrics->is_success()) return std::nullopt;
  return metric_in(metrics->body(), "process_cpu_seconds_total");
}

}  // namespace partita::tools::bench
