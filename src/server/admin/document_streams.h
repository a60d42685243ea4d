#pragma once

#include "base/fair_scheduler.h"
#include "cluster/catalog/catalog.h"
#include "gateway/feeds/feed.h"
#include "gateway/items/items.h"
#include "net/http/http_message.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Documents of a container as lines of JSON: all of them to a client, or from a client as many as it sends, in bounded memory.
namespace partita::server {

// StreamSlots: how many streams may be under way, because each keeps a page or some lines. Thread-safe.
class StreamSlots {
 public:
  static constexpr int kSlots = 8;

  // Taken until what is returned is gone; null when all are.
  std::shared_ptr<void> take();

 private:
  std::shared_ptr<std::atomic<int>> taken_ = std::make_shared<std::atomic<int>>(0);
};

// StreamedContainer: the container of a stream, looked up anew for each piece, so that a stream that lasts for hours keeps no old
// version of it. Immutable.
class StreamedContainer {
 public:
  StreamedContainer(const Catalog& catalog, const Container& container);

  // As it is now; null when it was deleted or has got another partition key, and a position in it means nothing any more.
  std::shared_ptr<const Container> now() const;
  const Tenant& tenant() const { return tenant_; }
  size_t document_bytes_max() const { return document_bytes_max_; }

 private:
  const Catalog& catalog_;
  const uint32_t database_;
  const uint32_t number_;
  const Tenant tenant_;
  const PartitionKeyDefinition key_;
  const size_t document_bytes_max_;
};

// Where the pieces of a stream are worked on, and until when.
struct StreamWork {
  FairScheduler* workers = nullptr;  // null: at once, by whoever calls
  const std::atomic<bool>* is_abandoned = nullptr;
  std::shared_ptr<void> slot;
};

// ExportedDocuments: all documents of a container in the order of a feed, one in a line, as they are when their page is read.
//
// A piece is either read or written, by a worker, in the share of the container's tenant. Reading is charged to the container,
// but never refused. Fails when the container is deleted, offline, or gets another partition key.
class ExportedDocuments final : public net::ResponseSource {
 public:
  ExportedDocuments(StreamedContainer container, StreamWork work) : container_(std::move(container)), work_(std::move(work)) {}

  void make(std::string& piece, OnMade on_made) override;

 private:
  void make_now(std::string& piece, Turn* turn, OnMade on_made);
  void write_lines(std::string& piece);
  void read_page(const std::shared_ptr<const Container>& container, Turn* turn, OnMade on_made);

  const StreamedContainer container_;
  const StreamWork work_;
  // Of whoever makes a piece; pieces come one after the other.
  std::vector<Item> page_;
  size_t written_ = 0;  // of the page
  std::optional<FeedPosition> next_;
  bool is_begun_ = false;
};

// ImportedDocuments: stores the documents in the lines of a request's body, each as an upsert, some at once.
//
// Documents of one piece are on disk before the next one is received, so a client sends as fast as they are stored. They are
// charged to the container, but never refused. Ends with the first line that cannot be stored and tells its number: all before it
// are stored then, and of those behind it perhaps some. Lives until its request is answered.
class ImportedDocuments : public std::enable_shared_from_this<ImportedDocuments> {
 public:
  ImportedDocuments(StreamedContainer container, const Items& items, StreamWork work, const net::HttpRequest& request,
                    net::HttpResponse& response, net::HttpDone done);

  void begin();

 private:
  struct Failure {
    uint64_t line;
    Error error;
  };

  void receive();
  void take(const Result<std::string_view>& piece);
  void work_on_lines();
  void store_lines();
  std::optional<std::string_view> next_line();
  void note_failure(uint64_t line, const Error& error);
  void end_line();
  void go_on();
  void answer();

  const StreamedContainer container_;
  const Items& items_;
  StreamWork work_;
  const net::HttpRequest& request_;
  net::HttpResponse& response_;
  net::HttpDone done_;
  // Of whoever has the turn: the connection's thread, a worker, then whoever ends the last line that is being stored.
  std::string text_;       // received, and not stored yet
  size_t at_ = 0;          // where in it the next line begins
  bool is_whole_ = false;  // no more comes
  uint64_t lines_ = 0;     // begun
  uint64_t documents_ = 0;
  std::atomic<size_t> being_stored_ = 0;
  std::mutex mutex_;
  std::optional<Failure> failure_;  // guarded by mutex_ while lines are being stored; the one with the lowest number
};

}  // namespace partita::server
