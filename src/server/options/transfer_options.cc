#include "server/options/option_parts.h"

#include <limits>

// The options of import, export and copy.
namespace partita::server {
namespace {

using tools::transfer::CommonOptions;
using tools::transfer::Compression;
using tools::transfer::CopyCommand;
using tools::transfer::ExportCommand;
using tools::transfer::ImportCommand;
using tools::transfer::OutputFormat;
using tools::transfer::Place;
using tools::transfer::SourceFormat;
using tools::transfer::Verify;
using tools::transfer::WriteMode;
using tools::transfer::WriteOptions;

constexpr int64_t kManyMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kInFlightMax = 1'000'000;
constexpr int64_t kPatienceSecondsMax = 7 * 24 * 3600;
constexpr int64_t kThroughputMin = 400;
constexpr int64_t kThroughputMax = 1'000'000'000;

void add_place(CLI::App& command, Place& place) {
  place.endpoint = "http://localhost:8081/";
  place.key = kWellKnownKey;
  command.add_option("--endpoint", place.endpoint, "Address of the server, http or https")
      ->envname("PARTITA_ENDPOINT")
      ->capture_default_str();
  command.add_option("--key", place.key, "Account key. Default: the emulator's well-known key")->envname("PARTITA_KEY");
  command.add_flag("--insecure", place.is_insecure, "Accept any certificate of an https server");
  command.add_option("--database", place.database, "Id of the database")->required();
  command.add_option("--container", place.container, "Id of the container")->required();
}

void add_source_place(CLI::App& command, Place& place) {
  command.add_option("--from-endpoint", place.endpoint, "Address of the server to read from. Default: --endpoint, with its key")
      ->envname("PARTITA_FROM_ENDPOINT");
  command
      .add_option("--from-key", place.key,
                  "Its account key; a read-only key is enough. Default: with --from-endpoint the emulator's well-known key")
      ->envname("PARTITA_FROM_KEY");
  command.add_flag("--from-insecure", place.is_insecure, "Accept any certificate of that server");
  command.add_option("--from-database", place.database, "Id of its database")->required();
  command.add_option("--from-container", place.container, "Id of its container")->required();
}

void add_common(CLI::App& command, CommonOptions& common, const std::string& default_state) {
  const std::map<std::string, Verify> kinds = {{"none", Verify::kNone}, {"count", Verify::kCount}, {"full", Verify::kFull}};
  command
      .add_option("--verify", common.verify,
                  "What to compare at the end: nothing, counts, or counts and checksums (full, the default)")
      ->transform(choice(kinds))
      ->option_text("none|count|full");
  command.add_option("--state", common.state, "File with what a later run needs to go on. Default: " + default_state);
  command.add_option("--patience", common.patience_seconds, "Seconds to keep trying while the server does not answer")
      ->check(between(1, kPatienceSecondsMax))
      ->capture_default_str();
  command.add_flag("--quiet", common.is_quiet, "Show no progress");
  command.add_flag("--json", common.is_json, "Print the report as JSON");
}

void add_container_options(CLI::App& command, WriteOptions& write) {
  command
      .add_option("--partition-key", write.partition_key,
                  "Paths of the partition key, separated by commas. The container is created if it does not exist")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--computed", write.computed, "Computed property of a new container, 'NAME=SELECT VALUE ...'; can be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=QUERY");
  command.add_option("--indexing-policy", write.indexing_policy_file,
                     "File with the indexing policy of a new container, in JSON");
  command.add_option("--throughput", write.throughput, "Throughput of the container in RU/s")
      ->check(between(kThroughputMin, kThroughputMax));
  command.add_option("--throughput-after", write.throughput_after, "Throughput to set at the end")
      ->check(between(kThroughputMin, kThroughputMax));
}

void add_write_options(CLI::App& command, WriteOptions& write) {
  add_container_options(command, write);
  const std::map<std::string, WriteMode> modes = {{"insert", WriteMode::kInsert},
                                                  {"upsert", WriteMode::kUpsert},
                                                  {"skip", WriteMode::kSkip},
                                                  {"replace", WriteMode::kReplace}};
  CLI::Option* mode =
      command
          .add_option(
              "--mode", write.mode,
              "insert (default; an id that is taken is an error), upsert (the new document wins), skip (the old one does) or "
              "replace (a document that is missing is an error)")
          ->transform(choice(modes))
          ->option_text("insert|upsert|skip|replace");
  command.add_flag_callback(
             "--upsert", [&write] { write.mode = WriteMode::kUpsert; }, "The same as --mode upsert")
      ->excludes(mode);
  command
      .add_option("--parallel", write.in_flight_max,
                  "Documents in flight at once. Default: by the throughput, and less when throttled")
      ->check(between(1, kInFlightMax));
  command.add_flag("--single", write.is_single, "Send a request for each document instead of bulk requests");
  command.add_option("--errors", write.errors, "File for the documents that were refused: a line of JSON each");
  command.add_option("--max-errors", write.refusals_max, "Stop when more documents than this were refused")
      ->check(between(0, kManyMax))
      ->capture_default_str();
}

void add_import(CLI::App& app, ImportCommand& options) {
  CLI::App* import = app.add_subcommand("import", "Write documents from files into a container");
  import->add_option("files", options.files, "Files, directories, or - for standard input")->required();
  add_place(*import, options.to);
  const std::map<std::string, SourceFormat> formats = {{"auto", SourceFormat::kAutomatic},
                                                       {"ndjson", SourceFormat::kLines},
                                                       {"json", SourceFormat::kJson},
                                                       {"csv", SourceFormat::kTable},
                                                       {"bson", SourceFormat::kBson}};
  import->add_option("--format", options.format, "Format of the files. Default: by their names and first bytes")
      ->transform(choice(formats))
      ->option_text("ndjson|json|csv|bson");
  import
      ->add_option("--columns", options.columns,
                   "Types of a table's columns, such as price:number,zip:string; also boolean and json. Others are inferred")
      ->check([](const std::string& text) -> std::string {
        const auto columns = tools::transfer::parse_columns(text);
        return columns ? "" : columns.error().message;
      });
  import
      ->add_option("--delimiter", options.delimiter,
                   "Character between the cells of a table. Default: a comma, or a tab for .tsv")
      ->check([](const std::string& text) -> std::string {
        return text.size() == 1 && text != "\"" && text != "\n" && text != "\r" ? "" : use_instead(text, "one character");
      });
  add_write_options(*import, options.write);
  add_common(*import, options.common, "FILE.partita-import");
  import->footer(
      "Reads NDJSON, JSON arrays, CSV and TSV with a header line, and what mongodump writes (.bson); compressed with gzip or\n"
      "zstd or not. Documents without an id get one that depends on the file and the document, so that a second try cannot\n"
      "make a second document. When it is stopped or killed, or the server is, the same command goes on where it was.\n"
      "The exit code is 0 when every document is there, 1 when one was refused or something failed, 2 for a wrong command.\n"
      "Examples:\n"
      "  partita import readings.ndjson --database iot --container readings --partition-key /deviceId --throughput 10000\n"
      "  partita import dump/shop/orders.bson.gz --database shop --container orders --partition-key /customer,/month\n"
      "  zcat people.csv.gz | partita import - --format csv --columns zip:string --database crm --container people --upsert");
}

void add_export(CLI::App& app, ExportCommand& options) {
  CLI::App* command = app.add_subcommand("export", "Write the documents of a container into a file");
  command->add_option("file", options.file, "The file, or - for standard output")->required();
  add_place(*command, options.from);
  const std::map<std::string, OutputFormat> formats = {
      {"ndjson", OutputFormat::kLines}, {"json", OutputFormat::kJson}, {"csv", OutputFormat::kTable}};
  command->add_option("--format", options.format, "Format of the file. Default: by its name, else ndjson")
      ->transform(choice(formats))
      ->option_text("ndjson|json|csv");
  const std::map<std::string, Compression> compressions = {
      {"none", Compression::kNone}, {"gzip", Compression::kGzip}, {"zstd", Compression::kZstd}};
  command->add_option("--compression", options.compression, "Default: by the name of the file, .gz or .zst")
      ->transform(choice(compressions))
      ->option_text("none|gzip|zstd");
  command
      ->add_option("--columns", options.columns, "Columns of a table, separated by commas. Default: those of the first documents")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--system-properties", options.has_system_properties, "With _rid, _self, _etag, _ts and _attachments");
  add_common(*command, options.common, "FILE.partita-export");
  command->footer(
      "Documents are in no order. What is written to the container meanwhile may be in the file or not.\n"
      "When it is stopped or killed, the same command goes on where it was; otherwise a file that is there is written anew.\n"
      "Examples:\n"
      "  partita export readings.ndjson.zst --database iot --container readings\n"
      "  partita export - --database shop --container orders --quiet | jq .total");
}

// What was not said of the server that is read.
void complete_source(CopyCommand& options) {
  Place& from = options.from;
  if (!from.endpoint.empty()) {
    if (from.key.empty()) from.key = kWellKnownKey;
    return;
  }
  from.endpoint = options.to.endpoint;
  from.is_insecure = from.is_insecure || options.to.is_insecure;
  if (from.key.empty()) from.key = options.to.key;
}

void add_copy(CLI::App& app, CopyCommand& options) {
  CLI::App* copy = app.add_subcommand("copy", "Write the documents of a container into another one");
  add_source_place(*copy, options.from);
  add_place(*copy, options.to);
  add_write_options(*copy, options.write);
  add_common(*copy, options.common, "DATABASE.CONTAINER.partita-copy");
  copy->final_callback([&options] { complete_source(options); });
  copy->footer(
      "Between servers, or within one. A container without partition key becomes a partitioned one with --partition-key.\n"
      "When it is stopped or killed, the same command goes on where it was.\n"
      "Examples:\n"
      "  partita copy --from-database shop --from-container old --database shop --container orders --partition-key /customer\n"
      "  partita copy --from-endpoint https://me.example.com/ --from-key ... --from-database shop --from-container orders \\\n"
      "      --endpoint http://localhost:8081/ --database shop --container orders --partition-key /customer --upsert");
}

}  // namespace

void add_transfer_options(CLI::App& app, CommandLine& line) {
  add_import(app, line.import);
  add_export(app, line.export_);
  add_copy(app, line.copy);
}

}  // namespace partita::server
