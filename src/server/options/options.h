#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "cluster/reshape/reshape_decider.h"
#include "protocols/cosmos/consistency_level.h"
#include "protocols/cosmos/fidelity.h"
#include "server/request_guard.h"
#include "storage/store.h"
#include "tools/bench/bench_options.h"
#include "tools/plan/plan_split.h"
#include "tools/shell/output/row_writer.h"
#include "tools/simulate/simulated_container.h"
#include "tools/top/render_top.h"
#include "tools/transfer/command/transfer_options.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace partita::server {

// The key that the SDKs' documentation gives for emulators: known to everybody, so it is accepted on loopback only.
inline constexpr std::string_view kWellKnownKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

// Of every command that is called wrongly, as with most programs.
inline constexpr int kUsageExitCode = 2;

// What a key must have at least, decoded: as many as the hash that it is used with.
inline constexpr size_t kKeyBytesMin = 32;

struct ServeOptions {
  std::string data = "./data";
  uint16_t port = 8081;
  std::string bind = "127.0.0.1";
  std::string key{kWellKnownKey};
  std::string secondary_key;
  std::string read_only_key;
  std::string secondary_read_only_key;
  std::string metrics_key;
  std::vector<std::string> cors_origins;
  std::vector<std::string> allowed_hosts;
  bool is_https_only = false;
  std::string certificate;
  std::string certificate_key;
  std::vector<std::string> names;
  std::string public_endpoint;  // empty: as each client came
  bool serves_direct = true;
  uint16_t direct_port = 0;  // 0: the same as for http and https
  Durability durability = Durability::kSynced;
  std::string log = "info";
  size_t threads = 0;
  size_t query_parallelism = 1;  // threads for one query; 0: one per core
  size_t memory_megabytes = 0;   // 0: half of what there is
  size_t cache_megabytes = 0;    // 0: a share of it
  ReshapeLimits reshape;
  uint64_t logical_partition_bytes_max = 20ULL << 30;
  cosmos::ConsistencyLevel consistency = cosmos::ConsistencyLevel::kSession;
  cosmos::Fidelity fidelity = cosmos::Fidelity::kService;
  bool has_no_rate_limit = false;
  bool has_burst_capacity = false;
  bool records_workload = true;
  bool watches_event_loops = false;  // tells which requests keep one busy, and for how long at most
  int64_t new_partition_throughput = kThroughputPerPartition;
};

struct CheckOptions {
  std::string data = "./data";
  bool repairs = false;
  bool is_json = false;
};

// How the command's own tools reach a running server.
struct EndpointOptions {
  std::string endpoint = "http://localhost:8081/";
  std::string key{kWellKnownKey};
  bool is_insecure = false;  // believes any certificate
};

// Changes partitions, in a data directory whose server is stopped or of a running server.
struct ReshapeOptions {
  std::string data = "./data";
  EndpointOptions server{.endpoint = ""};  // empty: the directory
  std::string mode = "online";             // of the container meanwhile; only with a running server
  std::string database;
  std::string container;
  std::string range;                  // split, merge
  std::string at;                     // split: a hash in hexadecimal, or empty
  std::vector<std::string> paths;     // migrate: the new partition key
  std::vector<std::string> computed;  // migrate: NAME=QUERY of properties that the new key's paths name
  bool is_confirmed = false;          // migrate: do not ask
  bool allows_missing = false;        // migrate: also when most documents lack the new key
  bool is_json = false;
};

struct TopOptions {
  EndpointOptions server;
  bool is_once = false;
  bool is_json = false;
  size_t lines_max = 40;
  tools::TopSpan span = tools::TopSpan::kMinutes;
};

struct ExplainOptions {
  EndpointOptions server;
  std::string database;
  std::string container;
  std::string query;
  std::vector<std::string> parameters;  // @name=JSON
  std::string partition_key;            // JSON, or empty: all partitions
  bool is_json = false;
};

struct SimulateOptions {
  tools::SimulationOptions simulation;
  std::vector<size_t> partitions = {10, 100, 1'000, 10'000, 100'000};
  std::string shares_path;  // of a file with a distribution, or empty
  size_t threads = 0;
  bool is_json = false;
};

struct PlanSplitOptions {
  std::string data = "./data";
  EndpointOptions server{.endpoint = ""};  // empty: the directory
  bool is_json = false;
  tools::PlanOptions plan;
};

// What documents to look at, and what is known of their use.
struct AdviseOptions {
  std::vector<std::string> files;  // "-" is standard input; or
  EndpointOptions server;
  std::string database;
  std::string container;
  std::string queries;  // a file; empty: none
  double throughput = 100'000;
  uint64_t expected_bytes = 100ULL << 30;
  uint64_t sample = 0;  // documents; 0: all
  bool is_json = false;
  std::string html;  // a file to write; empty: none
};

// A run of the load driver, or two reports of it.
struct BenchOptions {
  EndpointOptions server;
  tools::bench::BenchOptions run;
  bool is_comparison = false;
  std::string first_report;
  std::string second_report;
};

struct ShellCommandOptions {
  EndpointOptions server;
  std::string database;
  std::string container;
  std::string query;                    // of `query`
  std::vector<std::string> parameters;  // @name=JSON
  std::string partition_key;            // JSON, or empty: all partitions
  tools::RowFormat format = tools::RowFormat::kTable;
  bool is_json = false;
  bool shows_charge = false;
};

enum class Command {
  kServe,
  kCheck,
  kTop,
  kExplain,
  kSimulate,
  kPlanSplit,
  kAdvise,
  kSplit,
  kMerge,
  kMigrate,
  kImport,
  kExport,
  kCopy,
  kBench,
  kQuery,
  kShell,
  kNothingMore
};

struct CommandLine {
  Command command = Command::kNothingMore;  // help or version was printed
  int exit_code = 0;
  ServeOptions serve;
  CheckOptions check;
  ReshapeOptions reshape;
  TopOptions top;
  ExplainOptions explain;
  SimulateOptions simulate;
  PlanSplitOptions plan_split;
  AdviseOptions advise;
  tools::transfer::ImportCommand import;
  tools::transfer::ExportCommand export_;
  tools::transfer::CopyCommand copy;
  BenchOptions bench;
  ShellCommandOptions shell;
};

// From the command line, then PARTITA_* environment variables, then the configuration file, then defaults. Prints help, version
// and mistakes.
CommandLine parse_command_line(int argc, char** argv);

// Rules that concern several options: the well-known key beyond loopback, keys that can be guessed or are good for too much, a
// certificate without its key.
Status check_options(const ServeOptions& options);
// Of them, those about keys.
Status check_keys(const ServeOptions& options);

// Which requests are turned away because of how they come.
RequestGuard::Rules guard_rules(const ServeOptions& options);

// Whether only this machine reaches it: "localhost", or an address of the loopback interface.
bool is_loopback(std::string_view address);

}  // namespace partita::server
