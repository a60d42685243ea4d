#include "tools/bench/run/plan.h"

#include "tools/bench/report/words.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

namespace partita::tools::bench {
namespace {

constexpr uint64_t kScannedDocumentsPerKey = 100;

std::unexpected<Error> refuse(std::string message) { return fail(ErrorCode::kInvalidInput, std::move(message)); }

Result<std::string> read_template(const std::string& path) {
  if (path.empty()) return std::string(kDefaultTemplate);
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kStorageFailure, fmt::format("cannot read the template {}", path));
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return fail(ErrorCode::kStorageFailure, fmt::format("cannot read the template {}", path));
  return text;
}

Result<Workload> workload_of(const BenchOptions& options) {
  TRY_ASSIGN(Workload workload, options.mix.empty() ? Workload::find(options.workload) : Workload::parse_mix(options.mix));
  if (options.keys) workload.keys = *options.keys;
  if (workload.needs_documents() && options.documents == 0) {
    return refuse(fmt::format("the workload {} needs documents: give --documents", workload.name));
  }
  return workload;
}

std::string percent_text(double share) { return fmt::format("{:g} %", share * 100); }

std::string shares_text(const Workload& workload) {
  std::string text;
  for (size_t kind = 0; kind < kOperationKinds; ++kind) {
    if (workload.shares[kind] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", percent_text(workload.shares[kind]),
                        name_of(static_cast<OperationKind>(kind)));
  }
  return text;
}

std::string load_text(const BenchOptions& options) {
  const std::string connections = fmt::format("{} connection{}", options.connections, options.connections == 1 ? "" : "s");
  if (options.rate == 0) return connections + ", closed loop";
  return fmt::format("{}, open loop with {} operations/s ({})", connections, number_text(options.rate),
                     options.spacing == Arrivals::Spacing::kFixed ? "fixed" : "Poisson");
}

}  // namespace

Result<Plan> make_plan(const BenchOptions& options, std::string_view run_name) {
  TRY_ASSIGN(Workload workload, workload_of(options));
  TRY_ASSIGN(DocumentPath key_path, DocumentPath::parse(options.partition_key));
  TRY_ASSIGN(const std::string shape, read_template(options.template_file));
  TRY_ASSIGN(DocumentTemplate documents,
             DocumentTemplate::parse(shape, {.key_path = std::move(key_path), .document_bytes = options.document_bytes}));
  TRY_ASSIGN(TextTemplate query, TextTemplate::parse(options.query));
  const uint64_t existing = workload.needs_documents() ? options.documents : 0;
  const bool scans = workload.share(OperationKind::kScan) > 0;
  const uint64_t per_key = options.documents_per_key != 0 ? options.documents_per_key : scans ? kScannedDocumentsPerKey : 1;
  return Plan{.container = {options.database, options.container},
              .workload = std::move(workload),
              .documents = std::move(documents),
              .query = std::move(query),
              .document_count = existing,
              .documents_per_key = per_key,
              .exponent = options.exponent,
              .is_across_partitions = options.is_across_partitions,
              .inserted_prefix = options.is_reusing ? fmt::format("item-{}-", run_name) : "item-",
              .seed = options.seed};
}

Plan loading_plan(const Plan& plan) {
  Plan loading = plan;
  loading.workload = *Workload::find("insert");
  loading.replaces_existing = true;
  return loading;
}

std::vector<std::pair<std::string, std::string>> describe_settings(const BenchOptions& options, const Plan& plan) {
  const Workload& workload = plan.workload;
  return {{"workload", fmt::format("{} ({})", workload.name, shares_text(workload))},
          {"endpoint", options.client.endpoint},
          {"container", fmt::format("{}/{}", options.database, options.container)},
          {"partition key", options.partition_key},
          {"load", load_text(options)},
          {"client threads", fmt::format("{}", options.threads)},
          {"documents", count_text(plan.document_count)},
          {"documents per key", count_text(plan.documents_per_key)},
          {"document bytes", count_text(options.document_bytes)},
          {"template", options.template_file.empty() ? "default" : options.template_file},
          {"keys", std::string(name_of(workload.keys))},
          {"zipf exponent", fmt::format("{:g}", plan.exponent)},
          {"query", options.query},
          {"queries and scans", plan.is_across_partitions ? "across partitions" : "in one partition key"},
          {"ends after", options.count != 0 ? count_text(options.count) + " operations" : duration_text(options.seconds)},
          {"warm-up", duration_text(options.warm_up_seconds)},
          {"throttled requests", options.retries_throttled ? "tried again" : "errors"},
          {"seed", fmt::format("{}", options.seed)}};
}

}  // namespace partita::tools::bench
