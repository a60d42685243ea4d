// Runs a few operations, from the bytes of a request to those of its answer, so that callgrind can count what each costs. Nothing
// in it depends on time or chance: bench/instructions compares the counts with recorded ones.

#include "base/check.h"
#include "base/clock.h"
#include "cluster/catalog/catalog.h"
#include "net/http/http_parser.h"
#include "net/http/http_response_writer.h"
#include "protocols/cosmos/direct/direct_answer.h"
#include "protocols/cosmos/direct/direct_request.h"
#include "protocols/cosmos/direct/frame_builder.h"
#include "protocols/cosmos/in_process_service.h"
#include "storage/store.h"

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

namespace partita::cosmos {
namespace {

constexpr int kStored = 2000;  // documents
constexpr int kWarmUps = 50;   // of each operation, not counted
constexpr int kCounted = 200;  // of each operation
constexpr int kBatchSteps = 10;
constexpr std::string_view kContainer = "/dbs/d/colls/c";

// It is always the same microsecond, so that nothing is handed to another thread for taking long.
class StoppedClock final : public Clock {
 public:
  int64_t unix_ms() const override { return 1'700'000'000'000; }
  int64_t steady_us() const override { return 1'000'000'000; }
};

std::string key_of(int number) { return fmt::format("customer-{}", number % 100); }

// About a kilobyte, some twenty values to index.
std::string document(int number) {
  std::string properties;
  for (int i = 0; i < 10; ++i) properties += fmt::format(R"("property{}":"value {} of {}, and a few words more",)", i, i, number);
  return fmt::format(
      R"({{"id":"document-{}","customer":"{}","number":{},"price":{}.25,"open":{},{}"place":{{"city":"Bonn","lines":[1,2,"three"]}}}})",
      number, key_of(number), number, number % 977, number % 2 == 0, properties);
}

std::string batch(int number) {
  std::string steps;
  for (int i = 0; i < kBatchSteps; ++i) {
    steps += fmt::format(R"({}{{"operationType":"Upsert","resourceBody":{{"id":"batch-{}","customer":"{}","step":{}}}}})",
                         i == 0 ? "" : ",", i, key_of(number), number);
  }
  return fmt::format("[{}]", steps);
}

// What a connection does with a request, without the socket.
class Wire {
 public:
  explicit Wire(net::HttpHandler& handler) : handler_(handler) {}

  void exchange(const std::string& request, int expected_status) {
    input_.append(request);
    CHECK(parser_.advance(input_) == net::HttpParser::Progress::kComplete);
    net::HttpResponse response;
    std::promise<void> is_done;
    handler_.handle(parser_.request(), response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    CHECK(response.status == expected_status);
    output_.clear();
    net::append_response_head(output_, response, {}, "Tue, 14 Nov 2023 22:13:20 GMT");
    output_ += response.body;
    parser_.next(input_);
  }

 private:
  net::HttpHandler& handler_;
  net::HttpLimits limits_;
  net::HttpParser parser_{limits_};
  net::InputBuffer input_;
  std::string output_;
};

// The same in direct mode.
class DirectBenchWire {
 public:
  explicit DirectBenchWire(Service& service) : service_(service) {}

  void exchange(const std::string& frame, int expected_status) {
    const auto head = direct::parse_request_head(frame);
    head_.assign(frame, direct::kFixedHeadBytes, head->head_bytes - direct::kFixedHeadBytes);
    CHECK(request_.read(*head, head_, "2020-07-15") && !request_.mistake());
    payload_.assign(frame, std::min<size_t>(frame.size(), head->head_bytes + direct::kPayloadLengthBytes));
    request_.request().body = payload_;
    response_.clear();
    std::promise<void> is_done;
    service_.handle(request_.request(), response_, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    CHECK(response_.status == expected_status);
    output_.clear();
    output_ += direct::append_answer(output_, service_, request_, response_, 1.0);
  }

 private:
  Service& service_;
  std::string head_;
  std::string payload_;
  direct::DirectRequest request_;
  net::HttpResponse response_;
  std::string output_;
};

std::string request(std::string_view method, const std::string& path, const InProcessService::Headers& headers,
                    std::string_view body) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: localhost:8081\r\nx-ms-version: 2018-12-31\r\nx-ms-date: {}\r\nauthorization: {}\r\n",
                  method, path, InProcessService::kNow, InProcessService::signature(InProcessService::kKey, method, path));
  for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
  if (!body.empty()) text += fmt::format("Content-Length: {}\r\n", body.size());
  return fmt::format("{}\r\n{}", text, body);
}

InProcessService::Headers keyed(int number) {
  return {{"x-ms-documentdb-partitionkey", fmt::format(R"(["{}"])", key_of(number))}};
}

std::string insert(int number) { return request("POST", fmt::format("{}/docs", kContainer), keyed(number), document(number)); }

std::string read(int number) { return request("GET", fmt::format("{}/docs/document-{}", kContainer, number), keyed(number), {}); }

std::string query(int number) {
  InProcessService::Headers headers = {{"Content-Type", "application/query+json"},
                                       {"x-ms-documentdb-isquery", "true"},
                                       {"x-ms-documentdb-query-enablecrosspartition", "true"}};
  return request(
      "POST", fmt::format("{}/docs", kContainer), headers,
      fmt::format(
          R"({{"query":"SELECT c.id, c.price FROM c WHERE c.price = @p ORDER BY c.number","parameters":[{{"name":"@p","value":{}.25}}]}})",
          number % 977));
}

std::string transactional_batch(int number) {
  InProcessService::Headers headers = keyed(number);
  headers.emplace_back("x-ms-cosmos-is-batch-request", "True");
  headers.emplace_back("x-ms-cosmos-batch-atomic", "True");
  return request("POST", fmt::format("{}/docs", kContainer), headers, batch(number));
}

// With what clients send beside, as they do.
direct::FrameBuilder frame(uint16_t operation, std::string_view method, const std::string& path, int number) {
  direct::FrameBuilder frame(3, operation);
  frame.bytes(0x00, std::string_view("\0\0\0\1\x80\0\0\1", 8));
  frame.text(0x01, InProcessService::signature(InProcessService::kKey, method, path)).small_text(0x03, InProcessService::kNow);
  frame.text(0x13, "/apps/partita/services/414141414159414141413D/partitions/0/replicas/2s");
  frame.text(0x15, "d").text(0x16, "c").text(0x2B, fmt::format(R"(["{}"])", key_of(number)));
  frame.text(0x35, "AAAAAYAAAAE=").number(0x49, 30'000).number(0x4A, 0).number(0x4D, static_cast<uint32_t>(number));
  return frame.number(0xA2, 11);
}

std::string direct_insert(int number) {
  return frame(0x01, "POST", fmt::format("{}/docs", kContainer), number).build(document(number));
}

std::string direct_read(int number) {
  const std::string id = fmt::format("document-{}", number);
  return frame(0x03, "GET", fmt::format("{}/docs/{}", kContainer, id), number).text(0x17, id).build();
}

struct Measured {
  const char* name;
  std::string (*request)(int number);
  int first;  // number
  int status;
};

void measure(auto& wire, const Measured& measured) {
  std::vector<std::string> requests;
  for (int i = 0; i < kWarmUps + kCounted; ++i) requests.push_back(measured.request(measured.first + i));
  for (int i = 0; i < kWarmUps; ++i) wire.exchange(requests[static_cast<size_t>(i)], measured.status);
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  for (int i = kWarmUps; i < kWarmUps + kCounted; ++i) wire.exchange(requests[static_cast<size_t>(i)], measured.status);
  CALLGRIND_DUMP_STATS_AT(measured.name);
  CALLGRIND_STOP_INSTRUMENTATION;
}

void run(const std::string& directory) {
  StoreOptions options;
  options.directory = directory;
  options.durability = Durability::kRelaxed;
  const std::unique_ptr<Store> store = Store::open(options).value();
  const StoppedClock clock;
  Random random(1);
  EtagSource etags(random);
  const std::unique_ptr<Catalog> catalog = Catalog::open(*store, clock, etags, {}).value();
  InProcessService account({*catalog, etags, random, clock}, "");
  CHECK(account.send("POST", "/dbs", {}, R"({"id":"d"})").status == 201);
  CHECK(account.send("POST", "/dbs/d/colls", {}, R"({"id":"c","partitionKey":{"paths":["/customer"]}})").status == 201);
  Wire wire(account.service());
  for (int number = 0; number < kStored; ++number) wire.exchange(insert(number), 201);
  measure(wire, {"read", read, 0, 200});
  measure(wire, {"insert", insert, kStored, 201});
  measure(wire, {"query", query, 0, 200});
  measure(wire, {"batch", transactional_batch, 0, 200});
  DirectBenchWire direct_wire(account.service());
  measure(direct_wire, {"direct-read", direct_read, 0, 200});
  measure(direct_wire, {"direct-insert", direct_insert, 2 * kStored, 201});
}

}  // namespace
}  // namespace partita::cosmos

int main() {
  std::string directory = std::filesystem::temp_directory_path().string() + "/partita-XXXXXX";
  CHECK(::mkdtemp(directory.data()) != nullptr);
  partita::cosmos::run(directory);
  std::filesystem::remove_all(directory);
}
