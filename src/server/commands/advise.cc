#include "base/encodings.h"
#include "client/items/item_requests.h"
#include "client/resources/containers.h"
#include "client/resources/resource_feeds.h"
#include "document/json/json.h"
#include "document/json/terminal_text.h"
#include "server/admin/admin_api.h"
#include "server/commands/command_parts.h"
#include "server/commands/commands.h"
#include "server/commands/document_sample.h"
#include "server/commands/send_signed.h"
#include "tools/advise/report/render_advice.h"
#include "tools/advise/score/advisor.h"
#include "tools/transfer/source/record_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>

namespace partita::server {
namespace {

constexpr size_t kQueriesBytesMax = 16 << 20;
constexpr uint64_t kDocumentsPerNote = 50'000;

// By the documents' rids.
using DocumentUses = std::unordered_map<std::string, tools::advise::DocumentUse>;

// Progress: how many documents were read, on a terminal only. Not thread-safe.
class Progress {
 public:
  ~Progress() { clear(); }

  // `share` of the whole, if that is known.
  void show(uint64_t documents, std::optional<double> share = {}) {
    if (!is_terminal_ || documents % kDocumentsPerNote != 0) return;
    fmt::print(stderr, "\r{} documents read{}", documents, share ? fmt::format(", {:.0f} %", *share * 100) : "");
    std::fflush(stderr);
    is_shown_ = true;
  }
  void clear() {
    if (is_shown_) fmt::print(stderr, "\r\033[K");
    is_shown_ = false;
  }

 private:
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool is_shown_ = false;
};

Status read_files(const std::vector<std::string>& files, DocumentSample& sample, Progress& progress) {
  using tools::transfer::FileRecords;
  TRY_ASSIGN(auto inputs, tools::transfer::list_inputs(files, tools::transfer::SourceFormat::kAutomatic));
  TRY_ASSIGN(const std::unique_ptr<FileRecords> records, FileRecords::open(std::move(inputs), {}, {}));
  tools::transfer::SourceRecord record;
  while (true) {
    record.clear();
    TRY_ASSIGN(const bool is_there, records->next(record));
    if (!is_there) return {};
    if (!record.fault.empty())
      return fail(ErrorCode::kInvalidInput, fmt::format("{}, line {}: {}", records->name(), record.line, record.fault));
    sample.add(record.document.view());
    progress.show(sample.seen(), records->progress());
  }
}

Status read_container(const AdviseOptions& options, DocumentSample& sample, Progress& progress) {
  TRY_ASSIGN(const client::Client client, client::Client::create(client_options(options.server)));
  const client::ContainerName name{options.database, options.container};
  TRY(client::read_container(client, name));
  TRY(client::read_feed(client, client::read_items(name, {}), "Documents", [&](const Value& document) -> Status {
    if (!document.is_object()) return fail(ErrorCode::kInternal, "the server's answer has something that is no document");
    sample.add(document);
    progress.show(sample.seen());
    return {};
  }));
  return {};
}

Result<std::string> text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::kInvalidInput, fmt::format("cannot read {}", file));
  std::string text(kQueriesBytesMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kQueriesBytesMax)
    return fail(ErrorCode::kInvalidInput, fmt::format("{} is larger than {} bytes", file, kQueriesBytesMax));
  return text;
}

// What a server of ours keeps in mind of a container's requests; nothing of others. It adds its queries to those that were given.
Result<DocumentUses> read_workload(const AdviseOptions& options, std::vector<tools::advise::WeighedQuery>& queries) {
  DocumentUses uses;
  TRY_ASSIGN(const client::Client client, client::Client::create(client_options(options.server)));
  client::Request request{.path = fmt::format("{}workload?database={}&container={}", kAdminPrefix,
                                              percent_encode(options.database), percent_encode(options.container)),
                          .resource_type = std::string(kAdminResourceType),
                          .resource_link = "workload"};
  const client::Answer<client::Response> answer = client.send_expecting_success(std::move(request));
  if (!answer) return uses;
  TRY_ASSIGN(const std::string stored, stored_from_json(answer->body()));
  const Value requests = Value::view(stored).find("requests");
  for (size_t i = 0; requests.is_array() && i < requests.size(); ++i) {
    const Value units = requests.element(i).find("requestUnits");
    const Value rids = requests.element(i).find("rids");
    if (!units.is_number() || !rids.is_array()) continue;
    for (size_t at = 0; at < rids.size(); ++at) {
      if (!rids.element(at).is_string()) continue;
      tools::advise::DocumentUse& use = uses[std::string(rids.element(at).string())];
      use.units += units.number() / static_cast<double>(rids.size());
      if (rids.size() > 1) use.transactions.push_back(static_cast<uint32_t>(i));
    }
  }
  const Value shapes = Value::view(stored).find("queries");
  for (size_t i = 0; options.queries.empty() && shapes.is_array() && i < shapes.size(); ++i) {
    const Value text = shapes.element(i).find("query");
    const Value pages = shapes.element(i).find("pages");
    if (!text.is_string() || !pages.is_number() || pages.number() <= 0) continue;
    // Without their values some queries are none any more.
    Result<tools::advise::WeighedQuery> query = tools::advise::weigh_query(pages.number(), text.string());
    if (query) queries.push_back(std::move(*query));
  }
  return uses;
}

Result<tools::advise::Advice> advise_on(const AdviseOptions& options) {
  tools::advise::AdvisorTerms terms{.throughput = options.throughput,
                                    .expected_bytes = static_cast<double>(options.expected_bytes)};
  if (!options.queries.empty()) {
    TRY_ASSIGN(const std::string text, text_of(options.queries));
    Result<std::vector<tools::advise::WeighedQuery>> queries = tools::advise::parse_workload(text);
    if (!queries) return fail(queries.error().code, fmt::format("{}, {}", options.queries, queries.error().message));
    terms.queries = std::move(*queries);
  }
  DocumentUses uses;
  if (options.files.empty()) {
    TRY_ASSIGN(uses, read_workload(options, terms.queries));
  }
  tools::advise::Advisor advisor(std::move(terms));
  Progress progress;
  DocumentSample sample(options.sample, [&](const Value& document) {
    if (uses.empty()) return advisor.add(document);
    // What nobody asked for has no load.
    static const tools::advise::DocumentUse kNone;
    const Value rid = document.find("_rid");
    const auto use = rid.is_string() ? uses.find(std::string(rid.string())) : uses.end();
    advisor.add(document, use == uses.end() ? &kNone : &use->second);
  });
  TRY(options.files.empty() ? read_container(options, sample, progress) : read_files(options.files, sample, progress));
  sample.finish();
  if (advisor.documents() == 0) return fail(ErrorCode::kInvalidInput, "there are no documents to look at");
  return advisor.finish();
}

Status write_page(const tools::advise::Advice& advice, const AdviseOptions& options) {
  std::ofstream out(options.html, std::ios::binary | std::ios::trunc);
  const std::string title =
      options.files.empty() ? fmt::format("{}/{}", options.database, options.container) : options.files.front();
  out << tools::advise::render_html(advice, title);
  out.close();
  if (!out) return fail(ErrorCode::kStorageFailure, fmt::format("cannot write {}", options.html));
  return {};
}

}  // namespace

int run_advise(const AdviseOptions& options) {
  const Result<tools::advise::Advice> advice = advise_on(options);
  if (!advice) return complain(advice.error());
  if (!options.html.empty()) {
    if (const Status written = write_page(*advice, options); !written) return complain(written.error());
  }
  fmt::print("{}", options.is_json ? tools::advise::render_json(*advice) : terminal_lines(tools::advise::render_table(*advice)));
  return 0;
}

}  // namespace partita::server
