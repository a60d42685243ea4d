#pragma once

#include "auth/master_key.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/fair_scheduler.h"
#include "base/random.h"
#include "cluster/catalog.h"
#include "gateway/items.h"
#include "gateway/scripts.h"
#include "net/http_message.h"
#include "protocols/cosmos/codec/resource_path.h"
#include "protocols/cosmos/service.h"
#include "script/script_engine.h"
#include "storage/store.h"

#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// For tests and fuzzers that try what clients must not achieve.
namespace partita::cosmos {

// StandingClock: it is always the same second, but work takes its time.
class StandingClock final : public Clock {
 public:
  int64_t unix_ms() const override { return 1'700'000'000'000; }
  int64_t steady_us() const override { return SystemClock().steady_us(); }
};

// InProcessAccount: an empty account on a store of its own, without sockets. Requests in, answers out.
class InProcessAccount {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  struct Answer {
    int status = 0;
    std::string header_block;  // "Name: value\r\n"...
    std::string body;

    // Empty when the answer has no such header.
    std::string header(std::string_view wanted) const {
      for (std::string_view rest = header_block; !rest.empty();) {
        const size_t end = rest.find("\r\n");
        const std::string_view line = rest.substr(0, end);
        const size_t colon = line.find(": ");
        if (net::equal_without_case(line.substr(0, colon), wanted)) return std::string(line.substr(colon + 2));
        rest.remove_prefix(end + 2);
      }
      return {};
    }
  };

  static constexpr std::string_view kKey = "VGhpcyBpcyBhIHNhbXBsZSBzdHJpbmc=";
  static constexpr std::string_view kReadOnlyKey = "cmVhZCBvbmx5";
  static constexpr std::string_view kNow = "Tue, 14 Nov 2023 22:13:20 GMT";

  // `script_host`: the program that runs scripts.
  explicit InProcessAccount(std::string script_host, script::ScriptLimits script_limits = {})
      : script_engine_(std::move(script_host), script_limits, 1) {}

  // As the key's owner. Empty when no path can be signed for: then the request is refused before anybody looks at a signature.
  static std::string signature(std::string_view key, std::string_view method, std::string_view path, std::string_view query) {
    const Result<ResourcePath> parsed = ResourcePath::parse(path, query);
    if (!parsed) return {};
    const auth::SignedRequest request{.verb = method, .client_date = kNow, .date = {}};
    return auth::master_token(*auth::sign(key, request, parsed->signed_resources().front()));
  }

  Answer send(std::string_view method, std::string_view path, Headers headers = {}, std::string_view body = {},
              std::string_view key = kKey) {
    headers.emplace_back("authorization", signature(key, method, path, ""));
    headers.emplace_back("x-ms-date", kNow);
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    for (const auto& [name, value] : headers) request.headers.push_back({name, value});
    return handle(request);
  }

  // Waits for the answer.
  Answer handle(const net::HttpRequest& request) {
    net::HttpResponse response;
    std::promise<void> is_done;
    service_.handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return {response.status, std::string(response.header_block()), std::move(response.body)};
  }

 private:
  struct Directory {
    Directory() {
      path = std::filesystem::temp_directory_path().string() + "/partita-XXXXXX";
      CHECK(::mkdtemp(path.data()) != nullptr);
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::string path;
  };

  static std::unique_ptr<Store> open_store(const std::string& directory) {
    StoreOptions options;
    options.directory = directory;
    options.durability = Durability::kRelaxed;
    options.cache_bytes = 1 << 20;
    options.memtable_bytes = 8 << 20;
    return Store::open(options).value();
  }

  Directory directory_;
  std::unique_ptr<Store> store_ = open_store(directory_.path);
  StandingClock clock_;
  Random random_{1};
  EtagSource etags_{random_};
  RateLimits limits_;
  std::unique_ptr<Catalog> catalog_ = Catalog::open(*store_, clock_, etags_, limits_).value();
  Items items_{clock_, etags_, random_};
  auth::MasterKeyVerifier keys_ = auth::MasterKeyVerifier::create({.primary = std::string(kKey),
                                                                   .secondary = {},
                                                                   .primary_read_only = std::string(kReadOnlyKey),
                                                                   .secondary_read_only = {}},
                                                                  clock_)
                                      .value();
  script::ScriptEngine script_engine_;
  ScriptRunner scripts_{items_, *catalog_, script_engine_, workers_};
  Service service_{{*catalog_, items_, keys_, clock_, random_, workers_, scripts_}};
  // Last, so that it ends first: its jobs use all of the above.
  FairScheduler workers_{
      {.limits = {.slots = 1, .places = 1, .waiting_max = 10, .waiting_per_database_max = 10, .waiting_per_container_max = 10}},
      clock_};
};

}  // namespace partita::cosmos
