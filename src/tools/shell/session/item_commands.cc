#include "client/items/item_requests.h"
#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "tools/explain/render_explanation.h"
#include "tools/shell/session/change_watch.h"
#include "tools/shell/session/query_run.h"
#include "tools/shell/session/session.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace partita::tools {
namespace {

constexpr std::chrono::milliseconds kWatchPause{500};

client::Failure mistake(std::string message) { return Error{ErrorCode::kInvalidInput, std::move(message)}; }

}  // namespace

client::Answer<void> Session::explain(const ShellCommand& command) {
  TRY_ASSIGN(const client::Container container, this->container());
  std::string_view query = command.rest;
  while (query.ends_with(';') || query.ends_with(' ')) query.remove_suffix(1);
  if (query.empty()) return std::unexpected(mistake("\\explain needs a query behind it"));
  TRY_ASSIGN(const client::Response response,
             client_.send_expecting_success(client::explained_query_page(container.name(), {}, client::query_body(query))));
  const Result<std::string> text = render_explanation(response.body());
  if (!text) return std::unexpected(mistake("this server does not explain queries"));
  console_.print(terminal_lines(*text));
  return {};
}

client::Answer<void> Session::watch() {
  TRY_ASSIGN(const client::Container container, this->container());
  if (console_.has_pages()) console_.remark("Documents are shown as they are written. Ctrl-C ends it.\n");
  const RowFormat format = format_ == RowFormat::kTable || format_ == RowFormat::kJson ? RowFormat::kLines : format_;
  ChangeWatch changes(client_, container.name());
  while (!console_.is_interrupted()) {
    TRY_ASSIGN(const size_t documents, changes.poll([&](const client::FeedPage& page) {
      const auto writer = make_row_writer(format, console_.style(), [this](std::string_view out) { console_.print(out); });
      for (size_t i = 0; i < page.size(); ++i) writer->add(page.at(i));
      writer->end();
    }));
    if (documents == 0 && !console_.wait(kWatchPause)) break;
  }
  return {};
}

client::Answer<void> Session::run_procedure(const ShellCommand& command) {
  TRY_ASSIGN(const client::Container container, this->container());
  if (command.words.empty() || command.words.size() > 2) {
    return std::unexpected(mistake("\\run PROCEDURE [ARGUMENTS] --key KEY; arguments are one JSON array such as [\"a\",1]"));
  }
  const std::string arguments = command.words.size() == 2 ? command.words[1] : "[]";
  const Result<std::string> stored = stored_from_json(arguments);
  if (!stored || !Value::view(*stored).is_array()) {
    return std::unexpected(mistake("the arguments are no JSON array such as [\"a\",1]"));
  }
  PartitionKey key;
  if (!command.key.empty()) {
    TRY_ASSIGN(key, parse_key(command.key));
  }
  TRY_ASSIGN(const client::Response response,
             client_.send_expecting_success(client::execute_procedure(container.name(), key, command.words[0], arguments)));
  console_.print(terminal_lines(response.body()) + "\n");
  if (shows_charge_) console_.remark(fmt::format("({:.2f} RU)\n", response.charge()));
  return {};
}

client::Answer<void> Session::edit(const ShellCommand& command) {
  TRY_ASSIGN(const client::Container container, this->container());
  if (command.words.size() != 2) return std::unexpected(mistake("\\edit ID KEY; a hierarchical key as JSON array"));
  const std::string& id = command.words[0];
  TRY_ASSIGN(const PartitionKey key, parse_key(word_as_json(command.words[1])));
  TRY_ASSIGN(const client::Response read, client_.send_expecting_success(client::read_item(container.name(), key, id)));
  TRY_ASSIGN(const std::string stored, stored_from_json(read.body()));
  if (!Value::view(stored).is_object()) return std::unexpected(mistake("the server's answer is no document"));
  const std::string before = editable_json(Value::view(stored));
  TRY_ASSIGN(const EditedText edited, console_.edit(before));
  const auto forget = [&] {
    if (!edited.path.empty()) std::remove(edited.path.c_str());
  };
  if (edited.text == before) {
    forget();
    return console_.remark("Nothing was changed.\n"), client::Answer<void>();
  }
  const std::string kept = edited.path.empty() ? "" : fmt::format(" Your text is in {}.", edited.path);
  const Result<std::string> json = stored_from_json(edited.text);
  if (!json) return std::unexpected(mistake(fmt::format("{}.{}", json.error().message, kept)));
  const client::Answer<client::Response> written = client_.send_expecting_success(
      client::replace_item(container.name(), key, id, edited.text, {.if_match = std::string(read.etag())}));
  if (written) {
    forget();
    if (shows_charge_) console_.remark(fmt::format("(replaced; {:.2f} RU)\n", read.charge() + written->charge()));
    return {};
  }
  client::Failure failure = written.error();
  if (failure.code == ErrorCode::kPreconditionFailed)
    failure.message = "somebody else changed the document meanwhile; nothing was written.";
  failure.message += kept;
  return std::unexpected(std::move(failure));
}

}  // namespace partita::tools
