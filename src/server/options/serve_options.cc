#include "server/options/option_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace partita::server {
namespace {

constexpr int kPortMax = 65'535;
constexpr int kThreadsMax = 1'024;
constexpr int kMemoryMegabytesMax = 1 << 24;
constexpr int kCacheMegabytesMax = 1 << 20;

// Gives a URL of scheme and host its trailing slash, as clients expect it. Returns what is wrong with it.
std::string check_endpoint(std::string& url) {
  const size_t scheme = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  const size_t host_end = std::min(url.find('/', scheme), url.size());
  if (scheme == 0 || host_end == scheme || url.size() > host_end + 1 || url.find_first_of("?#@ ") != std::string::npos) {
    return use_instead(url, "a scheme and a host, such as https://db.example.org/");
  }
  url.resize(host_end);
  url += '/';
  return {};
}

}  // namespace

CLI::App& add_serve_options(CLI::App& app, ServeOptions& options, std::string& configuration) {
  CLI::App* serve = app.add_subcommand("serve", "Run the server");
  serve->fallthrough();
  serve->add_option("--config", configuration, "A file with `name = value` lines, one per option below (without the dashes)")
      ->envname("PARTITA_CONFIG");
  serve->add_option("--data", options.data, "Data directory; it is created if it does not exist")
      ->envname("PARTITA_DATA")
      ->capture_default_str();
  serve->add_option("--port", options.port, "Port for http, https and direct mode; 0 chooses a free one")
      ->envname("PARTITA_PORT")
      ->check(between(0, kPortMax))
      ->capture_default_str();
  serve->add_option("--bind", options.bind, "Address to listen on; 0.0.0.0 means all of them")
      ->envname("PARTITA_BIND")
      ->capture_default_str();
  serve->add_option("--key", options.key, "Account key (base64). Default: the SDKs' well-known emulator key, on loopback only")
      ->envname("PARTITA_KEY");
  serve->add_option("--secondary-key", options.secondary_key, "Second account key, for changing keys without a pause")
      ->envname("PARTITA_SECONDARY_KEY");
  serve->add_option("--read-only-key", options.read_only_key, "Account key that can only read")->envname("PARTITA_READ_ONLY_KEY");
  serve->add_option("--secondary-read-only-key", options.secondary_read_only_key, "Second account key that can only read")
      ->envname("PARTITA_SECONDARY_READ_ONLY_KEY");
  add_access_options(*serve, options);
  serve->add_option("--cert", options.certificate, "Certificate (PEM) to use instead of the self-signed one")
      ->envname("PARTITA_CERT");
  serve->add_option("--cert-key", options.certificate_key, "Private key (PEM) of --cert")->envname("PARTITA_CERT_KEY");
  serve->add_option("--san", options.names, "Further host names or addresses for the self-signed certificate")
      ->envname("PARTITA_SAN")
      ->delimiter(',');
  serve
      ->add_option(
          "--public-endpoint", options.public_endpoint,
          "Address that clients are told to use, such as https://db.example.org/ if a proxy ends TLS. Default: the scheme "
          "and host of each request")
      ->envname("PARTITA_PUBLIC_ENDPOINT")
      ->transform(CLI::Validator(check_endpoint, "URL"));
  serve
      ->add_option("--direct", options.serves_direct,
                   "Direct mode, which clients in Java and .NET use unless they are told otherwise. It needs TLS")
      ->envname("PARTITA_DIRECT")
      ->transform(choice(std::map<std::string, bool>{{"on", true}, {"off", false}}))
      ->default_str("on");
  serve->add_option("--direct-port", options.direct_port, "Port for direct mode; 0 means that of http and https")
      ->envname("PARTITA_DIRECT_PORT")
      ->check(between(0, kPortMax))
      ->capture_default_str();
  serve
      ->add_option(
          "--durability", options.durability,
          "synced: a write is on disk before it is acknowledged. relaxed: a crash may lose the latest writes; only for tests")
      ->envname("PARTITA_DURABILITY")
      ->transform(choice<Durability>({{"synced", Durability::kSynced}, {"relaxed", Durability::kRelaxed}}))
      ->default_str("synced");
  serve->add_option("--log", options.log, "What to log to standard error: trace, debug (every request), info, warn, error, off")
      ->envname("PARTITA_LOG")
      ->capture_default_str();
  serve->add_option("--threads", options.threads, "Number of threads that serve connections; 0 means one per core")
      ->envname("PARTITA_THREADS")
      ->check(between(0, kThreadsMax))
      ->capture_default_str();
  serve
      ->add_option(
          "--query-parallelism", options.query_parallelism,
          "Number of threads that may work on one query over several partitions while cores are free; 0 means one per core")
      ->envname("PARTITA_QUERY_PARALLELISM")
      ->check(between(0, kThreadsMax))
      ->capture_default_str();
  serve
      ->add_option("--memory-mb", options.memory_megabytes,
                   "Memory for the server and its script hosts together, in megabytes; 0 means half of what the process may use")
      ->envname("PARTITA_MEMORY_MB")
      ->transform(megabyte_count())
      ->check(between(0, kMemoryMegabytesMax))
      ->capture_default_str();
  serve
      ->add_option(
          "--cache-mb", options.cache_megabytes,
          "Part of --memory-mb that caches data, in megabytes; 0 means about a third of what script hosts leave, at most 4096")
      ->envname("PARTITA_CACHE_MB")
      ->transform(megabyte_count())
      ->check(between(0, kCacheMegabytesMax))
      ->capture_default_str();
  serve
      ->add_option("--partition-bytes-max", options.reshape.partition_bytes_max,
                   "Split a physical partition when its documents exceed this size, such as 50GB or 64kb")
      ->envname("PARTITA_PARTITION_BYTES_MAX")
      ->transform(byte_count())
      ->default_str("50GB");
  serve
      ->add_option("--logical-partition-bytes-max", options.logical_partition_bytes_max,
                   "Most bytes that the documents of one partition key value may have together, such as 20GB or 64kb")
      ->envname("PARTITA_LOGICAL_PARTITION_BYTES_MAX")
      ->transform(byte_count())
      ->default_str("20GB");
  serve
      ->add_option("--new-partition-throughput", options.new_partition_throughput,
                   "Manual throughput (RU/s) per physical partition of a new container; Azure uses 6000")
      ->envname("PARTITA_NEW_PARTITION_THROUGHPUT")
      ->check(between(kThroughputStep, kThroughputPerPartition))
      ->capture_default_str();
  serve
      ->add_flag("--split-by-load", options.reshape.splits_by_load,
                 "Split a physical partition that is throttled while others are not")
      ->envname("PARTITA_SPLIT_BY_LOAD");
  serve
      ->add_flag("--merge-small-partitions", options.reshape.merges,
                 "Merge neighbouring partitions that have become small, as far as the throughput allows")
      ->envname("PARTITA_MERGE_SMALL_PARTITIONS");
  std::map<std::string, cosmos::ConsistencyLevel> levels;
  for (int level = 0; level <= static_cast<int>(cosmos::ConsistencyLevel::kEventual); ++level) {
    levels.emplace(name_of(static_cast<cosmos::ConsistencyLevel>(level)), static_cast<cosmos::ConsistencyLevel>(level));
  }
  serve
      ->add_option(
          "--consistency", options.consistency,
          "Default consistency level; requests can only weaken it. Strong and BoundedStaleness double the charge of reads")
      ->envname("PARTITA_CONSISTENCY")
      ->transform(choice(levels))
      ->default_str("Session");
  serve
      ->add_option(
          "--fidelity", options.fidelity,
          "Answer as the service does, which refuses queries that its clients merge (service), or whatever can be answered "
          "(extended); requests can ask for either")
      ->envname("PARTITA_FIDELITY")
      ->transform(choice(std::map<std::string, cosmos::Fidelity>{{"service", cosmos::Fidelity::kService},
                                                                 {"extended", cosmos::Fidelity::kExtended}}))
      ->default_str("service");
  serve
      ->add_flag("--no-rate-limit", options.has_no_rate_limit,
                 "Never answer 429: throughput only decides the number of partitions")
      ->envname("PARTITA_NO_RATE_LIMIT");
  serve
      ->add_flag("--burst-capacity", options.has_burst_capacity,
                 "Let a partition save up to five minutes of unused throughput and spend it at up to 3,000 RU/s")
      ->envname("PARTITA_BURST_CAPACITY");
  serve
      ->add_option(
          "--workload-record", options.records_workload,
          "Keep a sample of the last hour's requests in memory (numbers of documents, queries without values), for advise and "
          "plan-split")
      ->envname("PARTITA_WORKLOAD_RECORD")
      ->transform(choice(std::map<std::string, bool>{{"on", true}, {"off", false}}))
      ->default_str("on");
  serve
      ->add_flag(
          "--watch-event-loops", options.watches_event_loops,
          "Measure the processor time of everything that runs on the threads of connections, and log requests that take long")
      ->envname("PARTITA_WATCH_EVENT_LOOPS")
      ->group("");
  serve->footer(
      "Examples:\n"
      "  partita serve                                   http(s)://localhost:8081 with data in ./data\n"
      "  partita serve --data /tmp/t --port 0 --durability relaxed   for a test run\n"
      "  partita serve --bind 0.0.0.0 --key \"$(openssl rand -base64 64 | tr -d '\\n')\" --san db.example.org\n"
      "Every option can also be set by an environment variable (PARTITA_DATA, PARTITA_PORT, ...) or in the --config file.\n"
      "SIGTERM and Ctrl-C stop the server cleanly.");
  return *serve;
}

// After command line and environment: the file counts only where they say nothing.
void read_configuration(CLI::App& serve, const std::string& path) {
  if (path.empty()) return;
  for (const CLI::ConfigItem& item : serve.get_config_formatter()->from_file(path)) {
    CLI::Option* option = serve.get_option_no_throw("--" + item.fullname());
    if (option == nullptr) throw CLI::ConfigError(fmt::format("{}: unknown option '{}'", path, item.fullname()));
    if (option->count() > 0) continue;
    try {
      option->add_result(item.inputs);
      option->run_callback();
    } catch (const CLI::ParseError& error) {
      throw CLI::ConfigError(fmt::format("{}: {}", path, describe_mistake(error)));
    }
  }
}

}  // namespace partita::server
