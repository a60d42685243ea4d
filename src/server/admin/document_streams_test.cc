#include "server/admin/document_streams.h"

#include "cluster/test_account.h"
#include "document/json/json.h"
#include "net/http/http_wire.h"
#include "net/server.h"
#include "net/test_client.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/front_door.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace partita::server {
namespace {

using testing::HasSubstr;
using Progress = net::ResponseSource::Progress;

constexpr std::string_view kKey = "a2V5";
constexpr std::string_view kReadOnlyKey = "b25seSByZWFkcw==";
constexpr std::string_view kDate = "Tue, 14 Nov 2023 22:13:20 GMT";  // where the test account's clock stands still
constexpr size_t kMemoryBytes = 2'000'000;
// Without end, for clients that read until the server closes.
constexpr size_t kEverything = size_t{1} << 40;

class NoAccount final : public net::HttpHandler {
  void handle(const net::HttpRequest&, net::HttpResponse& response, net::HttpDone done) override {
    response.status = 404;
    done();
  }
};

// The admin API on a port, over containers of three partitions and of 40,000 request units at a time that stands still.
class DocumentStreamsTest : public testing::Test {
 protected:
  DocumentStreamsTest() {
    from_ = account_.make_container("from", {"/k"}, 25'000);
    to_ = account_.make_container("to", {"/k"}, 25'000);
    net::ServerOptions options;
    options.threads = 1;
    options.memory = &memory_;
    server_ = net::Server::start(std::move(options), {{.port = 0, .wires = {&wire_}}}).value();
  }

  static std::string document(int n, size_t bytes = 100) {
    return fmt::format(R"({{"id":"{}","k":"key{}","text":"{}"}})", n, n % 100, std::string(bytes, 'x'));
  }
  static std::string head(std::string_view method, std::string_view what, std::string_view container, std::string_view key,
                          std::string_view more) {
    const std::string token = auth::master_token(
        auth::sign(key, {.verb = method, .client_date = kDate, .date = ""}, {kAdminResourceType, what}).value());
    return fmt::format(
        "{} /_partita/{}?database=db&container={} HTTP/1.1\r\nHost: localhost\r\nAuthorization: {}\r\n{}: {}\r\n{}\r\n", method,
        what, container, token, cosmos::header::kClientDate, kDate, more);
  }
  static std::string chunk(std::string_view data) { return fmt::format("{:x}\r\n{}\r\n", data.size(), data); }

  // Sends the text in chunks of a size that cuts lines anywhere.
  net::TestAnswer import(std::string_view container, std::string_view text, size_t chunk_bytes = 100'003) {
    net::TestClient client(server_->port());
    EXPECT_TRUE(client.send(head("POST", "import", container, kKey, "Transfer-Encoding: chunked\r\n")));
    for (size_t at = 0; at < text.size(); at += chunk_bytes) {
      if (!client.send(chunk(text.substr(at, chunk_bytes)))) break;  // what follows a bad line is not read
    }
    client.send("0\r\n\r\n");
    return client.receive();
  }
  std::vector<std::string> exported(std::string_view container) {
    net::TestClient client(server_->port());
    // As an old client, which gets the body as it is, until the end of the connection.
    std::string request = head("GET", "export", container, kReadOnlyKey, "");
    request.replace(request.find("HTTP/1.1"), 8, "HTTP/1.0");
    EXPECT_TRUE(client.send(request));
    const net::TestAnswer answer = client.receive();
    EXPECT_EQ(answer.status, 200);
    return lines_of(client.receive_bytes(kEverything));
  }
  static std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      EXPECT_NE(end, std::string_view::npos);
      lines.emplace_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
  }
  static std::set<std::string> ids_of(const std::vector<std::string>& lines) {
    std::set<std::string> ids;
    for (const std::string& line : lines) {
      const Result<std::string> stored = stored_from_json(line);
      EXPECT_TRUE(stored) << line.substr(0, 100);
      if (stored) ids.emplace(Value::view(*stored).find("id").string());
    }
    return ids;
  }

  // The next piece of a source that works at once.
  static Progress make(ExportedDocuments& source, std::string& text) {
    std::string piece;
    std::promise<Progress> made;
    source.make(piece, [&](Progress progress) { made.set_value(progress); });
    const Progress progress = made.get_future().get();
    text += piece;
    return progress;
  }
  ExportedDocuments export_of(const std::shared_ptr<const Container>& container) {
    return {StreamedContainer(*account_.catalog, *container), StreamWork{}};
  }

  TestAccount account_;
  std::shared_ptr<const Container> from_;
  std::shared_ptr<const Container> to_;
  observe::Metrics metrics_;
  auth::MasterKeyVerifier keys_ =
      auth::MasterKeyVerifier::create({.primary = std::string(kKey), .primary_read_only = std::string(kReadOnlyKey)},
                                      account_.clock)
          .value();
  Items items_{account_.clock, account_.documents, account_.random};
  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  RequestGuard guard_{RequestGuard::Rules{}};
  StoreWatch watch_{*account_.store, account_.clock};
  AdminApi admin_{{*account_.catalog, reshaper_, keys_, *account_.store, watch_, metrics_, &workers_, nullptr, &items_}, {}};
  NoAccount no_account_;
  FrontDoor door_{{no_account_, admin_, guard_, metrics_, account_.clock}};
  net::HttpWire wire_{door_};
  FairMemory memory_{kMemoryBytes};
  std::unique_ptr<net::Server> server_;
  SystemClock clock_;
  FairScheduler workers_{
      {.limits = {.slots = 2, .places = 4, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      clock_};
};

}  // namespace

TEST_F(DocumentStreamsTest, CarriesMoreThanThereIsMemoryForBodies) {
  constexpr int kDocuments = 3000;
  std::string text;
  for (int n = 0; n < kDocuments; ++n) text += document(n, 4000) + "\n";
  ASSERT_GT(text.size(), 5 * kMemoryBytes);
  const net::TestAnswer imported = import("from", text);
  EXPECT_EQ(imported.status, 200) << imported.body;
  EXPECT_EQ(imported.body, "{\"documents\":3000}\n");
  for (const PartitionPlace& place : from_->places) EXPECT_GT(place.partition->counters().documents, 0U);
  account_.expect_consistent(*from_);

  const std::vector<std::string> lines = exported("from");
  EXPECT_EQ(lines.size(), static_cast<size_t>(kDocuments));
  EXPECT_EQ(ids_of(lines).size(), static_cast<size_t>(kDocuments));
  // What was exported can be imported as it is; what the server makes is made anew.
  std::string again;
  for (const std::string& line : lines) again += line + "\n";
  EXPECT_EQ(import("to", again).body, "{\"documents\":3000}\n");
  EXPECT_EQ(ids_of(exported("to")), ids_of(lines));
  while (memory_.taken() > 0) std::this_thread::yield();
}

TEST_F(DocumentStreamsTest, TakesEmptyLinesAndALastOneWithoutAnEnd) {
  EXPECT_EQ(import("from", "\n" + document(1) + "\r\n \t\n" + document(2)).body, "{\"documents\":2}\n");
  EXPECT_EQ(import("from", "", 1).body, "{\"documents\":0}\n");
  // A small body comes with its head.
  net::TestClient client(server_->port());
  const std::string small = document(3) + "\n";
  const net::TestAnswer answer =
      client.request(head("POST", "import", "from", kKey, fmt::format("Content-Length: {}\r\n", small.size())) + small);
  EXPECT_EQ(answer.body, "{\"documents\":1}\n");
  EXPECT_EQ(ids_of(exported("from")), (std::set<std::string>{"1", "2", "3"}));
}

TEST_F(DocumentStreamsTest, IsTheSameWhereverLinesAreCut) {
  const std::string text = document(1) + "\n" + document(2) + "\n";
  for (size_t bytes = 1; bytes < text.size(); bytes += 7) EXPECT_EQ(import("from", text, bytes).body, "{\"documents\":2}\n");
  EXPECT_EQ(exported("from").size(), 2U);
}

TEST_F(DocumentStreamsTest, TellsTheFirstLineThatCannotBeStored) {
  const net::TestAnswer answer = import("from", document(1) + "\n\n" + document(2) + "\n{\"id\":3}\n" + document(4) + "\n{");
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body,
              HasSubstr("Line 4: The property 'id' of a document must be a string. The lines before it are stored."));
  const std::set<std::string> ids = ids_of(exported("from"));
  EXPECT_TRUE(ids.contains("1") && ids.contains("2"));
}

TEST_F(DocumentStreamsTest, TakesDocumentsAsLargeAsTheyMayBe) {
  const std::string large = document(1, DocumentForm::kUsualBytesMax - 100);
  EXPECT_EQ(import("from", large + "\n" + document(2)).body, "{\"documents\":2}\n");
  const net::TestAnswer refused = import("from", document(3) + "\n" + document(4, 4 * DocumentForm::kUsualBytesMax) + "\n");
  EXPECT_EQ(refused.status, 413) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("Line 2: "));
  std::string text;
  ExportedDocuments source = export_of(from_);
  while (make(source, text) != Progress::kEnd) continue;
  EXPECT_EQ(ids_of(lines_of(text)), (std::set<std::string>{"1", "2", "3"}));
}

TEST_F(DocumentStreamsTest, TakesDocumentsAsLargeAsTheirContainerAllows) {
  ContainerDefinition definition = container_definition("wide", {"/pk"});
  definition.form.bytes_max = 2 * DocumentForm::kUsualBytesMax;
  ASSERT_TRUE(account_.catalog->create_container("db", std::move(definition), {}));
  const std::string large = document(1, 2 * DocumentForm::kUsualBytesMax - 100);
  EXPECT_EQ(import("wide", large + "\n" + document(2)).body, "{\"documents\":2}\n");
  EXPECT_EQ(import("wide", document(3, 4 * DocumentForm::kUsualBytesMax) + "\n").status, 413);
}

TEST_F(DocumentStreamsTest, ExportsEachDocumentOnceWhilePartitionsAreSplit) {
  std::string documents;
  for (int n = 0; n < 1000; ++n) documents += document(n) + "\n";
  ASSERT_EQ(import("from", documents).status, 200);
  ExportedDocuments source = export_of(from_);
  from_.reset();
  std::string text;
  for (int n = 0; n < 6; ++n) EXPECT_EQ(make(source, text), Progress::kMore);
  ASSERT_TRUE(reshaper_.split("db", "from", "0"));
  for (int n = 0; n < 6; ++n) EXPECT_EQ(make(source, text), Progress::kMore);
  ASSERT_TRUE(reshaper_.split("db", "from", "1"));
  Progress progress = Progress::kMore;
  while (progress == Progress::kMore) progress = make(source, text);
  EXPECT_EQ(progress, Progress::kEnd);
  EXPECT_EQ(lines_of(text).size(), 1000U);
  EXPECT_EQ(ids_of(lines_of(text)).size(), 1000U);
}

TEST_F(DocumentStreamsTest, AnExportOfADeletedContainerDoesNotLookWhole) {
  std::string documents;
  for (int n = 0; n < 200; ++n) documents += document(n) + "\n";
  ASSERT_EQ(import("from", documents).status, 200);
  std::string text;
  ExportedDocuments source = export_of(from_);
  EXPECT_EQ(make(source, text), Progress::kMore);  // it is read, and not written yet
  ASSERT_TRUE(account_.catalog->delete_container("db", "from"));
  EXPECT_EQ(make(source, text), Progress::kFailed);
  EXPECT_EQ(text, "");
}

TEST_F(DocumentStreamsTest, AreRefusedBeforeTheirBodyComes) {
  net::TestClient client(server_->port());
  ASSERT_TRUE(
      client.send(head("POST", "import", "from", kReadOnlyKey, "Content-Length: 1000000000\r\nExpect: 100-continue\r\n")));
  EXPECT_EQ(client.receive().status, 403);
  EXPECT_EQ(import("nowhere", document(1)).status, 404);
}

TEST_F(DocumentStreamsTest, AreAtMostEightAtATime) {
  std::vector<std::shared_ptr<void>> slots;
  for (int n = 0; n < StreamSlots::kSlots; ++n) slots.push_back(admin_.stream_slots().take());
  EXPECT_EQ(admin_.stream_slots().take(), nullptr);
  EXPECT_EQ(import("from", document(1)).status, 429);
  slots.pop_back();
  EXPECT_EQ(import("from", document(1)).status, 200);
  EXPECT_EQ(exported("from").size(), 1U);  // the slot of the import is free again
}

}  // namespace partita::server
