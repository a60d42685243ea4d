#pragma once

#include "client/options.h"
#include "tools/shell/output/row_writer.h"

#include <string>

namespace partita::tools {

struct ShellOptions {
  client::Options client;
  std::string database;  // or empty
  std::string container;
  RowFormat format = RowFormat::kTable;
};
// Statements from standard input until its end: from people with an editor of lines, from scripts until one fails. The exit code.
// REQUIRES: no other thread runs.
int run_shell(const ShellOptions& options);

struct QueryOptions {
  client::Options client;
  std::string database;
  std::string container;
  std::string text;
  std::string parameters;     // a JSON array, or empty
  std::string partition_key;  // JSON, or empty: all of them
  RowFormat format = RowFormat::kTable;
  bool shows_charge = false;
};
// One query, all of its pages. The exit code.
int run_query_command(const QueryOptions& options);

}  // namespace partita::tools
