#include "server/options/option_parts.h"

namespace partita::server {
namespace {

constexpr int64_t kThroughputLeast = 400;
constexpr int64_t kThroughputMost = 2'000'000;
constexpr int64_t kSampleMost = 1'000'000;

}  // namespace

void add_advise_options(CLI::App& app, AdviseOptions& options) {
  CLI::App* advise = app.add_subcommand("advise", "Recommend a partition key for documents, with the figures behind it");
  advise->add_option("file", options.files,
                     "Files or directories of NDJSON, JSON, CSV or BSON, also as gzip or zstd; - is standard input");
  CLI::Option* database =
      advise->add_option("--database", options.database, "Read a container of this database instead of files");
  CLI::Option* container = advise->add_option("--container", options.container, "Id of the container");
  database->needs(container);
  container->needs(database);
  advise->add_option("--endpoint", options.server.endpoint, "Address of the container's server, http or https")
      ->envname("PARTITA_ENDPOINT")
      ->capture_default_str();
  advise
      ->add_option("--key", options.server.key, "Account key; a read-only key is enough. Default: the emulator's well-known key")
      ->envname("PARTITA_KEY");
  add_insecure(*advise, options.server);
  advise->add_option("--queries", options.queries, "File with a weight and a query per line; # begins a comment");
  advise->add_option("--throughput", options.throughput, "RU/s that the container is planned for")
      ->check(between(kThroughputLeast, kThroughputMost))
      ->capture_default_str();
  advise->add_option("--expected-size", options.expected_bytes, "Size that the documents will grow to")
      ->transform(byte_count())
      ->default_str("100GB");
  advise->add_option("--sample", options.sample, "Look only at this many documents, chosen at random")
      ->check(between(1, kSampleMost));
  advise->add_flag("--json", options.is_json, "Print everything as JSON");
  advise->add_option("--html", options.html, "Also write a page with charts to this file");
  advise->final_callback([advise, database] {
    const bool has_files = advise->count("file") > 0;
    if (has_files == (database->count() > 0))
      throw CLI::ParseError("give files, or --database and --container: one of both", CLI::ExitCodes::RequiredError);
  });
  advise->footer(
      "Tries single properties, pairs and triples (hierarchical keys) and synthetic keys, and places every document where a\n"
      "container of the planned throughput and size would have it. Reads only, in bounded memory.\n"
      "  values   different ones          large   share of all bytes that the largest value has\n"
      "  stor     the fullest partition, relative to the mean\n"
      "  req      the busiest partition at any one time, relative to the mean\n"
      "  1par     share of the queries that stay in one partition\n"
      "Examples:\n"
      "  partita advise telemetry.ndjson --queries queries.txt --throughput 50000\n"
      "  partita advise --database shop --container orders --html report.html\n"
      "  zcat orders.ndjson.gz | partita advise - --json\n"
      "A queries file:\n"
      "  90 SELECT * FROM c WHERE c.deviceId = @device AND c.time > @since\n"
      "  10 SELECT VALUE COUNT(1) FROM c WHERE c.day = '2018-08-09'");
}

}  // namespace partita::server
