#include "tools/transfer/command/command_parts.h"
#include "tools/transfer/export/exporter.h"

#include <fmt/format.h>
#include "document/json/terminal_text.h"

#include <optional>

namespace partita::tools::transfer {
namespace {

std::string_view name_of(OutputFormat format) {
  switch (format) {
    case OutputFormat::kLines: return "ndjson";
    case OutputFormat::kJson: return "json";
    case OutputFormat::kTable: return "csv";
  }
  return "";
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::kNone: return "plain";
    case Compression::kGzip: return "gzip";
    case Compression::kZstd: return "zstd";
  }
  return "";
}

// How the file looks, by its name where nothing was said.
struct Shape {
  OutputFormat format;
  Compression compression;
};
Shape shape_of(const ExportCommand& command) {
  return {.format = command.format.value_or(output_format_of(command.file)),
          .compression = command.compression.value_or(compression_of(command.file))};
}

std::string job_of(const ExportCommand& command, const Shape& shape) {
  return fmt::format("export of {} to {}, {}, {}{}", describe(command.from), command.file, name_of(shape.format),
                     name_of(shape.compression), command.has_system_properties ? ", with system properties" : "");
}

// The documents of the file that was written, against those that were read; and how many the container says that it has.
Result<Verification> verify(const ExportCommand& command, const Shape& shape, const Connection& from,
                            const ContentSum& exported) {
  Verification verification{.kind = command.common.verify, .expected = exported};
  if (verification.kind == Verify::kNone) return verification;
  const std::chrono::seconds patience(command.common.patience_seconds);
  TRY_ASSIGN(const ContentSum count, measure_container(from.patient, from.name, Verify::kCount, {}, patience));
  verification.found = {.documents = count.documents, .low = exported.low, .high = exported.high};
  if (verification.kind == Verify::kCount || command.file == "-" || count.documents != exported.documents) return verification;
  const SourceFormat format = shape.format == OutputFormat::kLines  ? SourceFormat::kLines
                              : shape.format == OutputFormat::kJson ? SourceFormat::kJson
                                                                    : SourceFormat::kTable;
  TRY_ASSIGN(verification.found, measure_file(command.file, format, delimiter_of(command.file)));
  return verification;
}

Result<Report> export_container(const ExportCommand& command, StateFile* state) {
  const Shape shape = shape_of(command);
  const std::string job = job_of(command, shape);
  Checkpoint checkpoint{.job = job};
  if (state != nullptr) {
    TRY_ASSIGN(checkpoint, begin_job(*state, job));
  }
  TRY_ASSIGN(const Connection from, connect(command.from));
  TRY(find_container(from.patient, from.name));
  const std::chrono::seconds patience(command.common.patience_seconds);
  TRY_ASSIGN(const ContentSum size, measure_container(from.patient, from.name, Verify::kCount, {}, patience));
  TRY_ASSIGN(client::Client pages, plain_client(from.place, Sending::kBulk));
  TRY_ASSIGN(const std::unique_ptr<ContainerFeed> feed,
             ContainerFeed::open(std::move(pages), from.name, {.patience = patience}, checkpoint.position));
  TRY_ASSIGN(OutputFile file, OutputFile::open(command.file, shape.compression, checkpoint.output_bytes));
  if (checkpoint.columns.empty()) checkpoint.columns = command.columns;
  DocumentText text({.format = shape.format,
                     .delimiter = delimiter_of(command.file),
                     .has_system_properties = command.has_system_properties,
                     .columns = checkpoint.columns,
                     .is_begun = checkpoint.documents > 0});
  TerminalWatch watch(command.common.is_quiet);
  Report report{.what = "exported", .is_resumed = checkpoint.documents > 0};
  const uint64_t documents_before = checkpoint.documents;
  if (report.is_resumed) watch.say(fmt::format("resuming behind {} documents", documents_before));
  const auto begun = std::chrono::steady_clock::now();
  Exporter exporter(*feed, file, text, state, watch, std::move(checkpoint), size.documents);
  TRY(exporter.run());
  watch.clear();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  report.tally = exporter.checkpoint().tally;
  report.documents_now = report.tally.documents() - documents_before;
  report.request_units = feed->request_units();
  report.throttles = feed->throttles();
  if (command.common.verify == Verify::kFull) watch.say("verifying");
  TRY_ASSIGN(report.verification, verify(command, shape, from, report.tally.stored));
  report.peak_bytes = peak_memory_bytes();
  if (state != nullptr) TRY(state->remove());
  return report;
}

}  // namespace

int run_export(const ExportCommand& command) {
  if (command.file == "-") {
    CommonOptions common = command.common;
    const Result<Report> report = export_container(command, nullptr);
    if (!report) return complain(report.error());
    fmt::print(stderr, "{}", common.is_quiet ? "" : common.is_json ? report->json() : terminal_lines(report->text()));
    return report->is_success() ? 0 : 1;
  }
  Result<StateFile> state =
      StateFile::open(command.common.state.empty() ? fmt::format("{}.partita-export", command.file) : command.common.state);
  if (!state) return complain(state.error());
  return finish(export_container(command, &*state), command.common, &*state);
}

}  // namespace partita::tools::transfer
