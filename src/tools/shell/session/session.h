#pragma once

#include "client/container.h"
#include "tools/shell/input/completion.h"
#include "tools/shell/input/shell_command.h"
#include "tools/shell/input/statement_splitter.h"
#include "tools/shell/session/console.h"

#include <optional>
#include <string>
#include <vector>

namespace partita::tools {

// Session: one person, or script, with one endpoint. Not thread-safe.
class Session {
 public:
  // Neither must end before it.
  Session(client::Client client, Console& console, RowFormat format);

  // Whether the endpoint answers and takes the key; where queries go then. Says what is wrong.
  bool open(const std::string& database, const std::string& container);
  // Carries a statement out; whether that succeeded.
  bool execute(const Statement& statement);
  bool is_left() const { return is_left_; }

  // "shop.orders", or what there is of it.
  std::string place() const;
  // What completion draws upon; asks the server for it when it is first needed.
  const Vocabulary& vocabulary();

 private:
  client::Answer<void> execute_command(const ShellCommand& command);
  client::Answer<void> execute_query(const std::string& text);
  client::Answer<void> use(const ShellCommand& command);
  client::Answer<void> show(const ShellCommand& command);
  client::Answer<void> show_databases();
  client::Answer<void> show_containers();
  client::Answer<void> show_container();
  client::Answer<void> show_procedures();
  client::Answer<void> set_format(const ShellCommand& command);
  client::Answer<void> set_charge(const ShellCommand& command);
  client::Answer<void> explain(const ShellCommand& command);
  client::Answer<void> show_ranges();
  client::Answer<void> watch();
  client::Answer<void> run_procedure(const ShellCommand& command);
  client::Answer<void> edit(const ShellCommand& command);
  void help();

  // The container that queries go to, or what to do about that there is none.
  client::Answer<client::Container> container() const;
  client::Answer<std::vector<std::string>> procedure_names() const;
  // Rows of our own, each in stored form.
  void print_table(const std::vector<std::string>& rows);
  std::string said(const client::Failure& failure, std::string_view query = {}) const;

  client::Client client_;
  Console& console_;
  RowFormat format_;
  bool shows_charge_ = true;
  bool is_left_ = false;
  std::string database_;
  std::optional<client::Container> container_;
  std::optional<Vocabulary> vocabulary_;
};

// JSON over several lines, as people write it, without what the server adds.
std::string editable_json(const Value& document);

}  // namespace partita::tools
