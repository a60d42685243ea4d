#include "server/admin/admin_api.h"

#include "cluster/test_account.h"
#include "document/json/json.h"
#include "protocols/cosmos/codec/header_names.h"
#include "server/fuzz_seeds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace partita::server {
namespace {

constexpr std::string_view kKey = "a2V5";
constexpr std::string_view kReadOnlyKey = "b25seSByZWFkcw==";
constexpr std::string_view kMetricsKey = "bWV0cmljcw==";
constexpr std::string_view kDate = "Tue, 14 Nov 2023 22:13:20 GMT";  // where the test account's clock stands still
constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "get", "GE"};

// What a caller may bring along.
enum class Credential {
  kNone,
  kNonsense,
  kResourceToken,
  kWrongKey,
  kReadOnlyKey,
  kKey,
  kKeyForAnotherPath,
  kKeyForAnotherMethod,
  kKeyOfLastYear,
  kBearerNothing,
  kBearerMetricsKey,
  kBearerReadOnlyKey,
  kBearerKey,
};
constexpr Credential kCredentials[] = {
    Credential::kNone,          Credential::kNonsense,      Credential::kResourceToken,     Credential::kWrongKey,
    Credential::kReadOnlyKey,   Credential::kKey,           Credential::kKeyForAnotherPath, Credential::kKeyForAnotherMethod,
    Credential::kKeyOfLastYear, Credential::kBearerNothing, Credential::kBearerMetricsKey,  Credential::kBearerReadOnlyKey,
    Credential::kBearerKey,
};

// Said once more, apart from the table: a route that is new, or given to others, is in want of a rule here.
struct Rule {
  std::string_view method;
  std::set<Credential> beyond_loopback;  // who may
  std::set<Credential> on_loopback;
};
const std::set<Credential> kEverybody(std::begin(kCredentials), std::end(kCredentials));
const std::set<Credential> kReaders = {Credential::kReadOnlyKey, Credential::kKey};
const std::set<Credential> kWriters = {Credential::kKey};
const std::set<Credential> kBearers = {Credential::kBearerMetricsKey, Credential::kBearerReadOnlyKey, Credential::kBearerKey};

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> rules = {
      {"/_partita/health/ready", {"GET", kEverybody, kEverybody}},
      {"/_partita/health/alive", {"GET", kEverybody, kEverybody}},
      {"/_partita/certificate", {"GET", kEverybody, kEverybody}},
      {"/_partita/metrics", {"GET", kBearers, kEverybody}},
      {"/_partita/overview", {"GET", {}, kEverybody}},
      {"/_partita/statistics", {"GET", kReaders, kReaders}},
      {"/_partita/reshapes", {"GET", kReaders, kReaders}},
      {"/_partita/workload", {"GET", kReaders, kReaders}},
      {"/_partita/export", {"GET", kReaders, kReaders}},
      {"/_partita/import", {"POST", kWriters, kWriters}},
      {"/_partita/reset-budgets", {"POST", kWriters, kWriters}},
      {"/_partita/split", {"POST", kWriters, kWriters}},
      {"/_partita/merge", {"POST", kWriters, kWriters}},
      {"/_partita/rekey", {"POST", kWriters, kWriters}},
      {"/_partita/plan", {"POST", kWriters, kWriters}},
  };
  return rules;
}

std::string signed_with(std::string_view key, std::string_view method, std::string_view path, std::string_view date) {
  const std::string_view link = path.starts_with(kAdminPrefix) ? path.substr(kAdminPrefix.size()) : path;
  return auth::master_token(
      auth::sign(key, {.verb = method, .client_date = date, .date = ""}, {.type = kAdminResourceType, .link = link}).value());
}

std::vector<std::string_view> paths_of(const AdminRoute& route) {
  std::vector<std::string_view> paths(route.older_paths.begin(), route.older_paths.end());
  paths.push_back(route.path);
  return paths;
}

class AdminApiTest : public testing::Test {
 protected:
  AdminApiTest() { reshaper_.start(); }

  static std::string authorization(Credential credential, std::string_view method, std::string_view path) {
    switch (credential) {
      case Credential::kNone: return "";
      case Credential::kNonsense: return "nonsense";
      case Credential::kResourceToken: return "type%3Dresource%26ver%3D1.0%26sig%3DAAAAAAAAAAAAAAAAAAAAAA%3D%3D";
      case Credential::kWrongKey: return signed_with("b3RoZXI=", method, path, kDate);
      case Credential::kReadOnlyKey: return signed_with(kReadOnlyKey, method, path, kDate);
      case Credential::kKey: return signed_with(kKey, method, path, kDate);
      case Credential::kKeyForAnotherPath: return signed_with(kKey, method, "/_partita/elsewhere", kDate);
      case Credential::kKeyForAnotherMethod: return signed_with(kKey, "TRACE", path, kDate);
      case Credential::kKeyOfLastYear: return signed_with(kKey, method, path, "Mon, 14 Nov 2022 22:13:20 GMT");
      case Credential::kBearerNothing: return "Bearer ";
      case Credential::kBearerMetricsKey: return fmt::format("Bearer {}", kMetricsKey);
      case Credential::kBearerReadOnlyKey: return fmt::format("bearer {}", kReadOnlyKey);
      case Credential::kBearerKey: return fmt::format("Bearer {}", kKey);
    }
    return "";
  }

  static net::HttpResponse send(const AdminApi& api, std::string_view method, std::string_view path, Credential credential) {
    const std::string token = authorization(credential, method, path);
    const std::string_view date = credential == Credential::kKeyOfLastYear ? "Mon, 14 Nov 2022 22:13:20 GMT" : kDate;
    net::HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = "{}";
    if (!token.empty()) request.headers = {{cosmos::header::kAuthorization, token}, {cosmos::header::kClientDate, date}};
    net::HttpResponse response;
    std::promise<void> is_done;
    api.handle(request, response, [&] { is_done.set_value(); });
    is_done.get_future().wait();
    return response;
  }

  TestAccount account_;
  observe::Metrics metrics_;
  auth::MasterKeyVerifier keys_ =
      auth::MasterKeyVerifier::create({.primary = std::string(kKey), .primary_read_only = std::string(kReadOnlyKey)},
                                      account_.clock)
          .value();
  Reshaper reshaper_{*account_.store, *account_.catalog, account_.clock, {}};
  StoreWatch watch_{*account_.store, account_.clock};
  AdminApi::Parts parts_{*account_.catalog, reshaper_, keys_, *account_.store, watch_, metrics_};
  AdminApi loopback_{parts_, {.certificate_pem = "the certificate", .metrics_key = std::string(kMetricsKey)}};
  AdminApi beyond_{parts_,
                   {.certificate_pem = "the certificate", .is_on_loopback = false, .metrics_key = std::string(kMetricsKey)}};
};

}  // namespace

// Every route under every name it has, with every credential and method, on loopback and beyond it.
TEST_F(AdminApiTest, AnswersThoseWhoMayAndNobodyElse) {
  size_t answered = 0;
  for (const AdminRoute& route : admin_routes()) {
    ASSERT_TRUE(rules().contains(route.path)) << route.path << " is in want of a rule";
    const Rule& rule = rules().at(route.path);
    for (const AdminApi* api : {&loopback_, &beyond_}) {
      const std::set<Credential>& allowed = api == &loopback_ ? rule.on_loopback : rule.beyond_loopback;
      for (const std::string_view path : paths_of(route)) {
        for (const std::string_view method : kMethods) {
          const bool is_method = method == rule.method || (rule.method == "GET" && method == "HEAD");
          for (const Credential credential : kCredentials) {
            const int status = send(*api, method, path, credential).status;
            const bool is_answered = status == 200 || status == 204 || status == 400;  // the body lacks what some want
            EXPECT_EQ(is_answered, is_method && allowed.contains(credential))
                << method << " " << path << " credential " << static_cast<int>(credential) << " loopback " << (api == &loopback_)
                << ": " << status;
            if (!is_method && !allowed.empty()) EXPECT_EQ(status, 405) << method << " " << path;
            answered += is_answered ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(answered, 0U);
  EXPECT_EQ(rules().size(), admin_routes().size());
}

TEST_F(AdminApiTest, HasItsRoutesUnderOnePrefixAndEachPathOnce) {
  std::set<std::string_view> seen;
  for (const AdminRoute& route : admin_routes()) {
    EXPECT_TRUE(route.path.starts_with(kAdminPrefix)) << route.path;
    for (const std::string_view path : paths_of(route)) {
      EXPECT_TRUE(path.starts_with(kOwnPrefix)) << path;
      EXPECT_TRUE(seen.insert(path).second) << path;
      EXPECT_EQ(find_admin_route(path), &route) << path;
    }
    // What is signed is the route's own path; under an older one a client would sign something else.
    if (route.caller == Caller::kReader || route.caller == Caller::kWriter) EXPECT_TRUE(route.older_paths.empty());
  }
}

TEST_F(AdminApiTest, KeepsThePathsThatClientsKnow) {
  for (const char* path : {"/_health", "/_health/ready", "/_health/alive", "/_metrics", "/_explorer/", "/_explorer",
                           "/_explorer/index.html", "/_explorer/emulator.pem"}) {
    EXPECT_EQ(send(loopback_, "GET", path, Credential::kNone).status, 200) << path;
  }
}

TEST_F(AdminApiTest, RefusesPathsThatAreOnlyLikeOnes) {
  for (const char* path : {"/_partita/", "/_partita", "/_partita/Split", "/_partita/split/", "/_partita//split",
                           "/_partita/split%20", "/_health/", "/_metrics/", "/_explorer/../_metrics", "/_", "/_nonsense"}) {
    for (const Credential credential : {Credential::kNone, Credential::kKey}) {
      const net::HttpResponse response = send(loopback_, "GET", path, credential);
      EXPECT_EQ(response.status, 404) << path;
      EXPECT_TRUE(stored_from_json(response.body)) << response.body;
    }
  }
}

TEST_F(AdminApiTest, SaysWhichMethodItTakes) {
  const net::HttpResponse response = send(loopback_, "DELETE", "/_partita/split", Credential::kKey);
  EXPECT_EQ(response.status, 405);
  EXPECT_THAT(response.header_block(), testing::HasSubstr("Allow: POST\r\n"));
}

TEST(AdminRoutes, AreAllInTheSeedsOfTheFrontDoorsFuzzer) {
  for (const AdminRoute& route : admin_routes()) {
    for (const std::string_view path : paths_of(route)) {
      if (path == "/_explorer" || path == "/_partita/health") continue;  // the same as others but for their end
      const bool is_seed = std::ranges::any_of(kServerSeeds, [&](std::string_view seed) {
        const std::string_view target = seed.substr(seed.find(' ') + 1);
        return target.starts_with(path) && (target[path.size()] == '\n' || target[path.size()] == '?');
      });
      EXPECT_TRUE(is_seed) << path << " is in want of a seed in fuzz_seeds.h";
    }
  }
}

}  // namespace partita::server
