#include "tools/shell/shell.h"

#include "document/json/terminal_text.h"
#include "tools/shell/session/query_run.h"
#include "tools/shell/session/session.h"
#include "tools/shell/terminal/interruption.h"
#include "tools/shell/terminal/line_editor.h"
#include "tools/shell/terminal/terminal_console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <iostream>

namespace partita::tools {
namespace {

// Statements are one entry each, also when they were typed in several lines.
int run_for_people(Session& session, HistoryFile& file) {
  StatementSplitter splitter;
  LineEditor editor(file, [&]() -> const Vocabulary& { return session.vocabulary(); });
  std::string entry;
  while (!session.is_left()) {
    const std::string place = session.place();
    const std::string name = place.empty() ? "partita" : terminal_text(place);
    std::string line;
    const LineEditor::Outcome outcome =
        editor.read(splitter.is_open() ? std::string(name.size(), ' ') + "> " : name + "> ", line);
    if (outcome == LineEditor::Outcome::kEnd) return fmt::print("\n"), 0;
    if (outcome == LineEditor::Outcome::kInterrupted) {
      splitter.forget();
      entry.clear();
      continue;
    }
    entry += (entry.empty() ? "" : "\n") + line;
    const std::vector<Statement> statements = splitter.add_line(line);
    if (splitter.is_too_long()) fmt::print(stderr, "That is longer than a statement may be.\n");
    if (!splitter.is_open()) {
      editor.remember(entry);
      entry.clear();
    }
    for (const Statement& statement : statements) {
      Interruption::forget();
      session.execute(statement);
    }
  }
  return 0;
}

int run_for_scripts(Session& session) {
  StatementSplitter splitter;
  const auto execute_all = [&](const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (session.is_left() || Interruption::is_wanted()) return true;
      if (!session.execute(statement)) return false;
    }
    return true;
  };
  for (std::string line; !session.is_left() && !Interruption::is_wanted() && std::getline(std::cin, line);) {
    if (!execute_all(splitter.add_line(line))) return 1;
    if (splitter.is_too_long()) {
      fmt::print(stderr, "partita: a statement is longer than {} bytes\n", StatementSplitter::kStatementBytesMax);
      return 1;
    }
  }
  return execute_all(splitter.finish()) ? 0 : 1;
}

// Characters of the terminal's encoding; of UTF-8 where the environment names none.
void choose_encoding() {
  const char* chosen = std::setlocale(LC_CTYPE, "");
  if (chosen == nullptr || std::string_view(chosen) == "C" || std::string_view(chosen) == "POSIX")
    std::setlocale(LC_CTYPE, "C.UTF-8");
}

int complain_of(const Error& error) {
  fmt::print(stderr, "partita: {}\n", terminal_text(error.message));
  return 1;
}

}  // namespace

int run_shell(const ShellOptions& options) {
  choose_encoding();
  const bool has_people = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  // The client's threads inherit that signals are blocked, so they come to this one.
  const Result<client::Client> client = client::Client::create(options.client);
  if (!client) return complain_of(client.error());
  TerminalConsole console(has_people);
  Session session(*client, console, options.format);
  if (!session.open(options.database, options.container)) return 1;
  Interruption::listen();
  if (!has_people) return run_for_scripts(session);
  fmt::print("Partita {} {}. \\help lists what there is.\n", "shell at", terminal_text(client->endpoint().text()));
  HistoryFile file(history_path(), options.client.key);
  return run_for_people(session, file);
}

int run_query_command(const QueryOptions& options) {
  const Result<client::Client> client = client::Client::create(options.client);
  if (!client) return complain_of(client.error());
  TerminalConsole console(false);
  const auto writer = make_row_writer(options.format, console.style(), [&](std::string_view text) { console.print(text); });
  const client::Answer<QueryTotals> totals = run_query(*client,
                                                       {.container = {options.database, options.container},
                                                        .text = options.text,
                                                        .parameters = options.parameters,
                                                        .partition_key = options.partition_key},
                                                       *writer, [](const QueryTotals&) { return true; });
  if (!totals) {
    console.remark("partita: the query failed.\n" + failure_text(totals.error(), options.text, client->endpoint().text()));
    return 1;
  }
  writer->end();
  if (writer->has_lost_columns())
    console.remark("Some rows have properties that are no columns here; --format json and lines have all.\n");
  if (options.shows_charge)
    console.remark(fmt::format("{} rows, {} requests, {:.2f} RU\n", totals->rows, totals->requests, totals->charge));
  return 0;
}

}  // namespace partita::tools
