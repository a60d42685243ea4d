#include "tools/shell/session/session.h"

#include "client/feed_page.h"
#include "client/items/item_requests.h"
#include "client/resources/account.h"
#include "client/resources/containers.h"
#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "tools/shell/session/query_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace partita::tools {
namespace {

constexpr int64_t kPageRows = 100;
constexpr std::string_view kSample = "SELECT * FROM c";

client::Failure mistake(std::string message) { return Error{ErrorCode::kInvalidInput, std::move(message)}; }

}  // namespace

Session::Session(client::Client client, Console& console, RowFormat format)
    : client_(std::move(client)), console_(console), format_(format) {}

std::string Session::said(const client::Failure& failure, std::string_view query) const {
  return failure_text(failure, query, client_.endpoint().text());
}

bool Session::open(const std::string& database, const std::string& container) {
  const client::Answer<client::Account> account = client::read_account(client_);
  if (!account) return console_.remark(said(account.error())), false;
  if (database.empty()) return true;
  return execute(
      {Statement::Kind::kCommand, container.empty() ? "use " + database : fmt::format("use {}.{}", database, container)});
}

bool Session::execute(const Statement& statement) {
  if (statement.kind == Statement::Kind::kQuery) {
    const client::Answer<void> done = execute_query(statement.text);
    if (!done) console_.remark(said(done.error(), statement.text));
    return done.has_value();
  }
  const Result<ShellCommand> command = parse_command(statement.text);
  if (!command) return console_.remark(terminal_text(command.error().message) + "\n"), false;
  const client::Answer<void> done = execute_command(*command);
  if (!done) console_.remark(said(done.error(), command->name == CommandName::kExplain ? command->rest : ""));
  return done.has_value();
}

client::Answer<void> Session::execute_command(const ShellCommand& command) {
  switch (command.name) {
    case CommandName::kHelp: return help(), client::Answer<void>();
    case CommandName::kUse: return use(command);
    case CommandName::kShow: return show(command);
    case CommandName::kFormat: return set_format(command);
    case CommandName::kCharge: return set_charge(command);
    case CommandName::kExplain: return explain(command);
    case CommandName::kRanges: return show_ranges();
    case CommandName::kWatch: return watch();
    case CommandName::kRun: return run_procedure(command);
    case CommandName::kEdit: return edit(command);
    case CommandName::kQuit: is_left_ = true; return {};
  }
  return {};
}

client::Answer<client::Container> Session::container() const {
  if (container_) return *container_;
  return std::unexpected(mistake("no container is in use; `use DATABASE.CONTAINER` first"));
}

client::Answer<void> Session::execute_query(const std::string& text) {
  TRY_ASSIGN(const client::Container container, this->container());
  const auto writer = make_row_writer(format_, console_.style(), [this](std::string_view out) { console_.print(out); });
  const auto started = std::chrono::steady_clock::now();
  bool is_whole = true;
  TRY_ASSIGN(const QueryTotals totals,
             run_query(client_, {.container = container.name(), .text = text, .page_rows = console_.has_pages() ? kPageRows : -1},
                       *writer, [&](const QueryTotals&) {
                         if (console_.has_pages()) writer->flush();
                         return is_whole = !console_.is_interrupted() && (!console_.has_pages() || console_.wants_more());
                       }));
  writer->end();
  if (writer->has_lost_columns())
    console_.remark("Some rows have properties that are no columns here; json and lines have all.\n");
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started).count();
  const std::string count =
      fmt::format("{} row{}{}", totals.rows, totals.rows == 1 ? "" : "s", is_whole ? "" : ", and there are more");
  if (shows_charge_) {
    console_.remark(fmt::format("({}; {:.2f} RU, {} ms)\n", count, totals.charge, ms));
  } else if (!is_whole) {
    console_.remark(fmt::format("({})\n", count));
  }
  return {};
}

client::Answer<void> Session::use(const ShellCommand& command) {
  if (command.words.size() != 1) return std::unexpected(mistake("use DATABASE or use DATABASE.CONTAINER"));
  const std::string& place = command.words.front();
  // Ids may have dots, but no slashes: where there is one, it decides.
  const size_t dot = std::min(place.find('/'), place.contains('/') ? std::string::npos : place.find('.'));
  const std::string database = place.substr(0, dot);
  TRY(client::read_database(client_, database));
  std::optional<client::Container> container;
  if (dot != std::string::npos) {
    container.emplace(client_, client::ContainerName{database, place.substr(dot + 1)});
    TRY(container->definition());
  }
  database_ = database;
  container_ = std::move(container);
  vocabulary_.reset();
  return {};
}

client::Answer<void> Session::set_format(const ShellCommand& command) {
  const auto found = command.words.empty() ? row_formats().end() : row_formats().find(command.words.front());
  if (found == row_formats().end()) return std::unexpected(mistake("\\format table, json, lines, csv or vertical"));
  format_ = found->second;
  return {};
}

client::Answer<void> Session::set_charge(const ShellCommand& command) {
  const std::string word = command.words.empty() ? std::string() : command.words.front();
  if (word != "on" && word != "off") return std::unexpected(mistake("\\charge on or \\charge off"));
  shows_charge_ = word == "on";
  return {};
}

void Session::help() {
  std::string out = "SELECT ... ;                             a query; it may have several lines\n";
  for (const CommandSpecification& command : shell_commands()) {
    out += fmt::format("{:<40} {}\n", command.usage, command.description);
  }
  console_.print(out + "A mistake is pointed at under the text. Tab completes paths, functions and names.\n");
}

std::string Session::place() const {
  return container_ ? fmt::format("{}.{}", database_, container_->name().container) : database_;
}

const Vocabulary& Session::vocabulary() {
  if (vocabulary_) return *vocabulary_;
  vocabulary_.emplace();
  if (const auto databases = client::list_databases(client_)) {
    for (const std::string& each : *databases) vocabulary_->places.push_back(terminal_text(each));
  }
  if (database_.empty()) return *vocabulary_;
  if (const auto containers = client::list_containers(client_, database_)) {
    for (const client::ContainerDefinition& each : *containers) {
      vocabulary_->places.push_back(terminal_text(fmt::format("{}.{}", database_, each.id)));
    }
  }
  if (!container_) return *vocabulary_;
  if (const auto procedures = procedure_names()) vocabulary_->procedures = *procedures;
  if (const auto definition = container_->definition()) {
    for (const DocumentPath& path : (*definition)->partition_key.paths) vocabulary_->paths.add_path(path.text());
    if (const auto stored = stored_from_json((*definition)->indexing_policy)) {
      const Value included = Value::view(*stored).find("includedPaths");
      for (size_t i = 0; included.is_array() && i < included.size(); ++i) {
        if (const Value path = included.element(i).find("path"); path.is_string()) vocabulary_->paths.add_path(path.string());
      }
    }
  }
  const auto sample = client_.send_expecting_success(
      client::query_page(container_->name(), {}, client::query_body(kSample), {.items_max = 50, .continuation = {}}));
  if (!sample) return *vocabulary_;
  if (const auto page = client::FeedPage::parse(*sample, "Documents")) {
    for (size_t i = 0; i < page->size(); ++i) vocabulary_->paths.add_document(page->at(i));
  }
  return *vocabulary_;
}

}  // namespace partita::tools
