#include "server/options/option_parts.h"

namespace partita::server {
namespace {

void add_format(CLI::App& command, ShellCommandOptions& options) {
  command
      .add_option("--format", options.format,
                  "table; json (one array); lines (a document per line); csv; or vertical (a property per line)")
      ->transform(choice(tools::row_formats()))
      ->default_str("table");
}

void add_query(CLI::App& app, ShellCommandOptions& options) {
  CLI::App* query = app.add_subcommand("query", "Print the rows of a query");
  add_endpoint(*query, options.server);
  query->add_option("--database", options.database, "Id of the database")->required();
  query->add_option("--container", options.container, "Id of the container")->required();
  query->add_option("query", options.query, "Text of the query")->required();
  query
      ->add_option("-p,--parameter", options.parameters,
                   "Value of a parameter in JSON, such as '@city=\"Oslo\"'; can be repeated")
      ->allow_extra_args(false)
      ->check(query_parameter());
  query
      ->add_option("--partition-key", options.partition_key,
                   "Query only this partition key, in JSON: '\"ada\"', or '[\"a\",1]' for a hierarchical key")
      ->check(json_text());
  add_format(*query, options);
  query->add_flag("--json", options.is_json, "The same as --format json");
  query->add_flag("--charge", options.shows_charge, "Report the number of rows, requests and request units on standard error");
  query->footer(
      "Reads all pages. Tables leave out what the server adds to whole documents (_rid, _self, _etag, _attachments, _ts).\n"
      "The exit code is 1 if the query failed; a mistake in it is marked under its text.\n"
      "Examples:\n"
      "  partita query 'SELECT * FROM c WHERE c.total > 400' --database shop --container orders\n"
      "  partita query 'SELECT c.id FROM c WHERE c.city = @city' -p '@city=\"Oslo\"' --database shop --container orders --json\n"
      "  partita query 'SELECT * FROM c' --database shop --container orders --format csv > orders.csv");
}

void add_shell(CLI::App& app, ShellCommandOptions& options) {
  CLI::App* shell = app.add_subcommand("shell", "Query and look around interactively");
  add_endpoint(*shell, options.server);
  shell->add_option("--database,database", options.database, "Id of the database to use");
  shell->add_option("--container,container", options.container, "Id of the container to use");
  add_format(*shell, options);
  shell->footer(
      "Queries end with a semicolon and may have several lines; \\help lists what else there is. Tab completes paths (learnt "
      "from\n"
      "50 documents, which costs a few request units), functions and names. What is typed is kept in ~/.partita_history\n"
      "(PARTITA_HISTORY) for its owner only, without keys. Without a terminal, statements are read from standard input, and the\n"
      "first one that fails ends it with exit code 1.\n"
      "Examples:\n"
      "  partita shell shop orders\n"
      "  echo 'show databases' | partita shell --endpoint http://localhost:8081/");
}

}  // namespace

void add_shell_options(CLI::App& app, ShellCommandOptions& options) {
  add_query(app, options);
  add_shell(app, options);
}

}  // namespace partita::server
