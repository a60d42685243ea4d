#include "tools/transfer/command/command_parts.h"

#include <fmt/format.h>
#include "document/json/terminal_text.h"

#include <cstdio>
#include <fstream>
#include <iterator>

namespace partita::tools::transfer {
namespace {

constexpr size_t kBulkConnections = 32;
constexpr size_t kSingleConnections = 128;
constexpr size_t kInFlightMax = 20'000;

Result<client::Client> make_client(const Place& place, size_t connections, bool tries_again) {
  client::Options options{.endpoint = place.endpoint,
                          .key = place.key,
                          .tls = {.is_insecure = place.is_insecure},
                          .retry = {.is_enabled = tries_again},
                          .connections_max = connections};
  return client::Client::create(options);
}

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) return fail(ErrorCode::kInvalidInput, fmt::format("cannot open {}", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

Result<Connection> connect(const Place& place) {
  TRY_ASSIGN(client::Client patient, make_client(place, 2, true));
  return Connection{
      .place = place, .patient = std::move(patient), .name = {.database = place.database, .container = place.container}};
}

Result<client::Client> plain_client(const Place& place, Sending sending) {
  return make_client(place, sending == Sending::kSingle ? kSingleConnections : kBulkConnections, false);
}

std::string_view name_of(WriteMode mode) {
  switch (mode) {
    case WriteMode::kInsert: return "insert";
    case WriteMode::kUpsert: return "upsert";
    case WriteMode::kSkip: return "skip";
    case WriteMode::kReplace: return "replace";
  }
  return "";
}

std::string describe(const Place& place) { return fmt::format("{} {}/{}", place.endpoint, place.database, place.container); }

Result<Checkpoint> begin_job(const StateFile& state, const std::string& job) {
  TRY_ASSIGN(std::optional<Checkpoint> found, state.load());
  if (!found) return Checkpoint{.job = job};
  if (found->job == job) return std::move(*found);
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("{} is the state of another job:\n  {}\nwhile this one is\n  {}\nDelete it, or name another file with --state",
                  state.path(), found->job, job));
}

Status WriteJob::prepare(Checkpoint& checkpoint) {
  ContainerWish wish{.partition_key = write_.partition_key,
                     .computed = write_.computed,
                     .throughput = write_.throughput,
                     .may_draw_keys = write_.mode == WriteMode::kInsert || write_.mode == WriteMode::kReplace};
  if (!write_.indexing_policy_file.empty()) {
    TRY_ASSIGN(wish.indexing_policy, read_file(write_.indexing_policy_file));
  }
  TRY_ASSIGN(container_, prepare_container(to_.patient, to_.name, wish));
  if (checkpoint.before || common_.verify == Verify::kNone) return {};
  if (container_.is_new) {
    checkpoint.before = ContentSum();
    return {};
  }
  TRY_ASSIGN(checkpoint.before, measure_container(to_.patient, to_.name, common_.verify, container_.computed,
                                                  std::chrono::seconds(common_.patience_seconds)));
  return {};
}

ImportOptions WriteJob::import_options() const {
  ImportOptions options{.mode = write_.mode,
                        .partition_key = container_.definition.partition_key,
                        .computed = container_.computed,
                        .window_first = first_window(container_.throughput),
                        .window_max = kInFlightMax,
                        .refusals_max = write_.refusals_max,
                        .patience = std::chrono::seconds(common_.patience_seconds)};
  if (write_.in_flight_max > 0) options.window_first = options.window_max = write_.in_flight_max;
  return options;
}

Result<Report> WriteJob::run(RecordSource& source, StateFile& state, Checkpoint checkpoint) {
  const bool is_bulk = !write_.is_single && container_.keys == KeyOrigin::kDocument;
  TRY_ASSIGN(const client::Client plain, plain_client(to_.place, is_bulk ? Sending::kBulk : Sending::kSingle));
  ServiceDestination destination(plain, to_.name, write_.mode, is_bulk, container_.keys);
  std::optional<OutputFile> errors;
  if (!write_.errors.empty()) {
    TRY_ASSIGN(OutputFile file, OutputFile::open(write_.errors, Compression::kNone, checkpoint.output_bytes));
    errors.emplace(std::move(file));
  }
  Report report{.what = what_, .is_resumed = checkpoint.claimed > 0};
  const uint64_t documents_before = checkpoint.documents;
  const auto begun = std::chrono::steady_clock::now();
  Importer importer(source, destination, &state, errors ? &*errors : nullptr, watch_, import_options(), std::move(checkpoint));
  TRY(importer.run());
  watch_.clear();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  report.tally = importer.tally();
  report.documents_now = report.tally.documents() - documents_before;
  report.request_units = importer.request_units();
  report.throttles = importer.throttles();
  if (write_.throughput_after) TRY(set_throughput(to_.patient, to_.name, *write_.throughput_after));
  TRY_ASSIGN(report.verification, verify(importer.checkpoint()));
  report.peak_bytes = peak_memory_bytes();
  return report;
}

Result<Verification> WriteJob::verify(const Checkpoint& end) {
  Verification verification{.kind = common_.verify};
  if (common_.verify == Verify::kNone) return verification;
  if (!end.before) {
    verification.not_possible = "the job began with --verify none";
    return verification;
  }
  if (end.tally.replaced > 0) {
    verification.kind = Verify::kCount;
    verification.replaced = end.tally.replaced;
    verification.tolerance = end.tally.doubtful;
  }
  watch_.say("verifying");
  verification.expected = *end.before;
  verification.expected.add(end.tally.stored);
  TRY_ASSIGN(verification.found, measure_container(to_.patient, to_.name, verification.kind, container_.computed,
                                                   std::chrono::seconds(common_.patience_seconds)));
  return verification;
}

int complain(const Error& error) {
  fmt::print(stderr, "partita: {}\n", terminal_lines(error.message));
  return 1;
}

int finish(const Result<Report>& report, const CommonOptions& common, const StateFile* state) {
  if (!report) {
    complain(report.error());
    if (state != nullptr && state->exists())
      fmt::print(stderr, "The same command goes on where it stopped; its state is in {}\n", state->path());
    return 1;
  }
  fmt::print("{}", common.is_json ? report->json() : terminal_lines(report->text()));
  return report->is_success() ? 0 : 1;
}

}  // namespace partita::tools::transfer
