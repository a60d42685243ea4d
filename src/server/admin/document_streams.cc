#include "server/admin/document_streams.h"

#include "cluster/tenants.h"
#include "document/json/json.h"
#include "server/admin/admin_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace partita::server {
namespace {

// A page is read at once, and then written in pieces.
constexpr size_t kPageItems = 64;
constexpr size_t kPieceBytes = 64 * 1024;
// So many documents are stored at once.
constexpr size_t kLinesAtOnce = 512;
// A longer line is stored in a way in which others do not wait for it.
constexpr size_t kShortLineBytes = 64 * 1024;
// Work on a stream is let in already: it waits rather than that the stream breaks.
constexpr int64_t kPatienceUs = 60'000'000;

// Neither kept back nor refused by the container's budget; what it costs is taken from it all the same.
RequestTerms terms(size_t bytes = 0) {
  return {.priority = Priority::kBackground,
          .writes = bytes > kShortLineBytes ? Partition::Length::kLong : Partition::Length::kShort,
          .takes_computed_key = true};
}

void run_on_worker(const StreamWork& work, const Tenant& tenant, std::move_only_function<void(Turn*)> run,
                   std::move_only_function<void(const Error&)> refuse) {
  if (work.workers == nullptr) return run(nullptr);
  work.workers->submit({.tenant = tenant,
                        .run = [run = std::move(run)](Turn& turn) mutable { run(&turn); },
                        .refuse = std::move(refuse),
                        .wait_us_max = kPatienceUs,
                        .is_continued = true,
                        .is_abandoned = work.is_abandoned});
}

std::unexpected<Error> is_gone() {
  return fail(ErrorCode::kNotFound, "The container was deleted or has got another partition key meanwhile.");
}

}  // namespace

std::shared_ptr<void> StreamSlots::take() {
  if (taken_->fetch_add(1) >= kSlots) {
    taken_->fetch_sub(1);
    return nullptr;
  }
  return {taken_.get(), [taken = taken_](void*) { taken->fetch_sub(1); }};
}

StreamedContainer::StreamedContainer(const Catalog& catalog, const Container& container)
    : catalog_(catalog),
      database_(container.database->number),
      number_(container.number),
      tenant_(tenant_of(container)),
      key_(container.definition.partition_key),
      document_bytes_max_(container.definition.form.bytes_max) {}

std::shared_ptr<const Container> StreamedContainer::now() const {
  std::shared_ptr<const Container> container = catalog_.container(database_, number_);
  if (container != nullptr && !(container->definition.partition_key == key_)) return nullptr;
  return container;
}

void ExportedDocuments::make(std::string& piece, OnMade on_made) {
  const auto told = std::make_shared<OnMade>(std::move(on_made));  // for whichever function is called
  run_on_worker(
      work_, container_.tenant(), [this, &piece, told](Turn* turn) { make_now(piece, turn, std::move(*told)); },
      [told](const Error&) { (*told)(Progress::kFailed); });
}

void ExportedDocuments::make_now(std::string& piece, Turn* turn, OnMade on_made) {
  // Asked again behind the reading: rows of a container that was deleted meanwhile are missing from the page.
  const std::shared_ptr<const Container> container = container_.now();
  if (container == nullptr || container->lineage->mode() == ContainerMode::kOffline) return on_made(Progress::kFailed);
  if (written_ == page_.size() && (next_ || !is_begun_)) return read_page(container, turn, std::move(on_made));
  write_lines(piece);
  on_made(written_ < page_.size() || next_ ? Progress::kMore : Progress::kEnd);
}

void ExportedDocuments::write_lines(std::string& piece) {
  while (written_ < page_.size() && piece.size() < kPieceBytes) {
    append_json(piece, page_[written_++].document());
    piece.push_back('\n');
  }
}

void ExportedDocuments::read_page(const std::shared_ptr<const Container>& container, Turn* turn, OnMade on_made) {
  is_begun_ = true;
  FeedRequest request;
  request.from = next_;
  request.items_max = kPageItems;
  request.terms = terms();
  request.turn = turn;
  read_feed(container, request, [this, on_made = std::move(on_made)](Result<FeedPage> page) mutable {
    if (!page) return on_made(Progress::kFailed);
    page_ = std::move(page->items);
    written_ = 0;
    next_ = page->next;
    on_made(Progress::kMore);
  });
}

ImportedDocuments::ImportedDocuments(StreamedContainer container, const Items& items, StreamWork work,
                                     const net::HttpRequest& request, net::HttpResponse& response, net::HttpDone done)
    : container_(std::move(container)),
      items_(items),
      work_(std::move(work)),
      request_(request),
      response_(response),
      done_(std::move(done)) {}

void ImportedDocuments::begin() {
  if (request_.streamed_body != nullptr) return receive();
  text_ = request_.body;
  is_whole_ = true;
  work_on_lines();
}

void ImportedDocuments::receive() {
  request_.streamed_body->next([self = shared_from_this()](const Result<std::string_view>& piece) { self->take(piece); });
}

void ImportedDocuments::take(const Result<std::string_view>& piece) {
  if (!piece) {
    note_failure(lines_ + 1, piece.error());
    return answer();
  }
  text_.erase(0, std::exchange(at_, 0));
  text_ += *piece;
  is_whole_ = piece->empty();
  work_on_lines();
}

void ImportedDocuments::work_on_lines() {
  const auto self = shared_from_this();
  run_on_worker(
      work_, container_.tenant(), [self](Turn*) { self->store_lines(); },
      [self](const Error& refusal) {
        self->note_failure(self->lines_ + 1, refusal);
        self->answer();
      });
}

void ImportedDocuments::store_lines() {
  being_stored_ = 1;  // until all have begun
  const std::shared_ptr<const Container> container = container_.now();
  if (container == nullptr) note_failure(lines_ + 1, is_gone().error());
  if (container != nullptr && container->lineage->mode() != ContainerMode::kOnline) {
    note_failure(lines_ + 1, {ErrorCode::kUnavailable, "The container takes no documents while its partitions are changed."});
    return end_line();
  }
  for (size_t begun = 0; container != nullptr && begun < kLinesAtOnce; ++begun) {
    const std::optional<std::string_view> line = next_line();
    if (!line) break;
    ++lines_;
    if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++documents_;
    being_stored_.fetch_add(1);
    items_.upsert(
        container, *line, std::nullopt, {},
        [self = shared_from_this(), number = lines_](const Result<ItemOutcome>& outcome) {
          if (!outcome) self->note_failure(number, outcome.error());
          self->end_line();
        },
        terms(line->size()));
  }
  end_line();
}

// A line that is longer than a document of the container may be is taken as if it ended there, and refused.
std::optional<std::string_view> ImportedDocuments::next_line() {
  const std::string_view rest = std::string_view(text_).substr(at_);
  size_t end = rest.find('\n');
  if (end == std::string_view::npos) {
    if (rest.empty() || (!is_whole_ && rest.size() <= container_.document_bytes_max())) return std::nullopt;
    end = rest.size();
  }
  at_ = std::min(at_ + end + 1, text_.size());
  return rest.substr(0, end);
}

void ImportedDocuments::note_failure(uint64_t line, const Error& error) {
  std::lock_guard lock(mutex_);
  if (!failure_ || line < failure_->line) failure_ = Failure{line, error};
}

void ImportedDocuments::end_line() {
  if (being_stored_.fetch_sub(1) == 1) go_on();
}

// On whichever thread has ended the last line, perhaps the committer's. No other one works on the stream now.
void ImportedDocuments::go_on() {
  const bool has_line = text_.find('\n', at_) != std::string::npos || (is_whole_ && at_ < text_.size());
  if (failure_ || (is_whole_ && !has_line)) return answer();
  if (has_line) return work_on_lines();
  receive();
}

void ImportedDocuments::answer() {
  response_.is_outcome = true;
  if (failure_) {
    Error error = failure_->error;
    error.message = fmt::format("Line {}: {} The lines before it are stored.", failure_->line, error.message);
    answer_error(response_, error);
  } else {
    answer_text(response_, 200, "application/json", fmt::format("{{\"documents\":{}}}\n", documents_));
  }
  work_.slot.reset();  // whoever has the answer can count on it
  std::exchange(done_, {})();
}

}  // namespace partita::server
