#include "client/resources/containers.h"
#include "document/json/terminal_text.h"
#include "server/commands/advise_workload.h"
#include "server/commands/command_parts.h"
#include "server/commands/commands.h"
#include "server/commands/document_sample.h"
#include "server/commands/send_signed.h"
#include "tools/advise/report/render_advice.h"
#include "tools/advise/score/advisor.h"
#include "tools/transfer/container/prepare.h"
#include "tools/transfer/source/container_feed.h"
#include "tools/transfer/source/record_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>

namespace partita::server {
namespace {

constexpr size_t kQueriesBytesMax = 16 << 20;
constexpr uint64_t kDocumentsPerNote = 10'000;
constexpr std::chrono::milliseconds kFeedWait{100};
constexpr std::chrono::seconds kFeedPatience{120};

// Progress: how many documents were read, on a terminal only. Not thread-safe.
class Progress {
 public:
  ~Progress() { clear(); }

  bool is_wanted() const { return is_terminal_; }
  // `share` of the whole, if that is known.
  void show(uint64_t documents, std::optional<double> share) {
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

// For the progress only, so whoever cannot count says nothing.
uint64_t count_documents(const client::Client& client, const client::ContainerName& name) {
  const auto count = measure_container(client, name, tools::transfer::Verify::kCount, {}, kFeedPatience);
  return count ? count->documents : 0;
}

// Several partitions at once; the next pages come while those that are there are looked at.
Status read_container(const AdviseOptions& options, DocumentSample& sample, Progress& progress) {
  using tools::transfer::ContainerFeed;
  client::Options reached = client_options(options.server);
  TRY_ASSIGN(const client::Client client, client::Client::create(reached));
  const client::ContainerName name{options.database, options.container};
  TRY(client::read_container(client, name));
  const uint64_t documents = progress.is_wanted() ? count_documents(client, name) : 0;
  // The feed itself knows what to do about a page that does not come.
  reached.retry.is_enabled = false;
  TRY_ASSIGN(client::Client plain, client::Client::create(reached));
  TRY_ASSIGN(const std::unique_ptr<ContainerFeed> feed,
             ContainerFeed::open(std::move(plain), name, {.patience = kFeedPatience}, {}));
  while (true) {
    TRY_ASSIGN(const std::optional<client::FeedPage> page, feed->next(kFeedWait));
    if (!page) return {};
    for (size_t index = 0; index < page->size(); ++index) {
      sample.add(page->at(index));
      const double share = static_cast<double>(sample.seen()) / static_cast<double>(std::max<uint64_t>(documents, 1));
      progress.show(sample.seen(), documents == 0 ? std::nullopt : std::optional(std::min(1.0, share)));
    }
  }
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
    TRY_ASSIGN(WorkloadRecord record, read_workload(options));
    uses = std::move(record.uses);
    if (options.queries.empty()) terms.queries = std::move(record.queries);
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
