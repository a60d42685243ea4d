// load_generator: drives one server with one kind of operation and prints one line of JSON.
//
// It connects, warms up, prints "ready" and waits for a line on its input; then it measures, prints the result, and
// again waits for a line before it closes its connections. Whoever runs it can thus read the server's processor time
// right before and right after the measured operations, without the cost of connecting.
#include <iostream>
#include <random>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "driver.h"
#include "fatal.h"
#include "http_connection.h"
#include "postgres_connection.h"

namespace partita::bench {
namespace {

struct Settings {
  std::string protocol = "http";
  std::string operation = "read";
  HttpTarget http{.host = "127.0.0.1", .port = 8081, .database = "bench", .container = "c", .master_key = ""};
  std::string postgres;
  std::string table = "t";
  std::uint64_t connections = 1;
  std::uint64_t documents = 1000;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  double seconds = 1;
  double warm_up_seconds = 0.2;
  std::uint64_t seed = 1;
  bool fixed_answer = false;
  bool spin = false;
  std::string requests;
  bool in_order = false;
  std::vector<std::string> headers;
  std::string statement;
};

void declare(CLI::App& app, Settings& settings) {
  app.add_option("--protocol", settings.protocol)->check(CLI::IsMember({"http", "postgres"}));
  app.add_option("--operation", settings.operation)->check(CLI::IsMember({"read", "create", "update", "post"}));
  app.add_option("--host", settings.http.host, "IPv4 address of the HTTP server");
  app.add_option("--port", settings.http.port);
  app.add_option("--database", settings.http.database);
  app.add_option("--container", settings.http.container);
  app.add_option("--key", settings.http.master_key, "master key, base64");
  app.add_option("--postgres", settings.postgres, "libpq connection string");
  app.add_option("--table", settings.table);
  app.add_option("--connections", settings.connections)->check(CLI::PositiveNumber);
  app.add_option("--documents", settings.documents, "reads and updates pick one of the documents 0 .. N-1");
  app.add_option("--first", settings.first, "creates start at this document");
  app.add_option("--count", settings.count, "stop after so many operations, without warming up");
  app.add_option("--seconds", settings.seconds);
  app.add_option("--warm-up-seconds", settings.warm_up_seconds);
  app.add_option("--seed", settings.seed);
  app.add_option("--requests", settings.requests, "file with one body (http) or tab-separated parameters (postgres) per post");
  app.add_flag("--in-order", settings.in_order, "posts follow the file instead of picking lines of it");
  app.add_option("--header", settings.headers, "a header of all posts (http)")->allow_extra_args(false);
  app.add_option("--statement", settings.statement, "what posts execute (postgres)");
  app.add_flag("--spin", settings.spin, "never sleep while waiting for answers");
  app.add_flag("--fixed-answer", settings.fixed_answer, "the answers are not documents: do not compare them");
}

Operation operation_of(const Settings& settings) {
  if (settings.operation == "post") return Operation::kPost;
  return settings.operation == "read" ? Operation::kRead : Operation::kCreate;
}

std::function<std::uint64_t()> document_numbers(const Settings& settings) {
  if (settings.operation == "create" || settings.in_order) return [next = settings.first]() mutable { return next++; };
  return [random = std::mt19937_64(settings.seed), documents = settings.documents]() mutable { return random() % documents; };
}

std::vector<std::unique_ptr<Connection>> connect(const Settings& settings, HttpRequests* requests, const RequestFile* posts,
                                                 Operation operation) {
  std::vector<std::unique_ptr<Connection>> connections;
  for (std::uint64_t i = 0; i < settings.connections; ++i) {
    if (requests != nullptr) {
      connections.push_back(std::make_unique<HttpConnection>(*requests));
    } else if (posts != nullptr) {
      connections.push_back(std::make_unique<PostgresConnection>(settings.postgres, settings.statement, *posts));
    } else {
      connections.push_back(std::make_unique<PostgresConnection>(settings.postgres, settings.table, operation));
    }
  }
  return connections;
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 600)) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

void print(Measurements& measured) {
  fmt::print(
      R"({{"operations":{},"seconds":{:.6f},"ops_per_s":{:.1f},"p50_us":{:.1f},"p99_us":{:.1f},"errors":{},"checked":{},"wrong":{},"first_error":{}}})"
      "\n",
      measured.operations, measured.seconds, static_cast<double>(measured.operations) / measured.seconds,
      measured.latency_us(0.50), measured.latency_us(0.99), measured.errors, measured.checked, measured.wrong,
      json_string(measured.first_error));
  std::fflush(stdout);
}

void wait_for_line() {
  std::string line;
  std::getline(std::cin, line);
}

bool run(const Settings& settings) {
  const Operation operation = operation_of(settings);
  std::unique_ptr<RequestFile> posts;
  if (operation == Operation::kPost) posts = std::make_unique<RequestFile>(settings.requests);
  std::unique_ptr<HttpRequests> requests;
  if (settings.protocol == "http") {
    HttpTarget target = settings.http;
    target.updates = settings.operation == "update";
    const std::string headers = settings.headers.empty() ? "" : fmt::format("{}\r\n", fmt::join(settings.headers, "\r\n"));
    requests = std::make_unique<HttpRequests>(target, operation, settings.documents, posts.get(), headers);
  }
  const bool has_documents = operation != Operation::kPost && !settings.fixed_answer;
  Driver driver(connect(settings, requests.get(), posts.get(), operation), document_numbers(settings),
                has_documents ? Check::kOneInHundred : Check::kNone, settings.spin ? Waiting::kSpin : Waiting::kSleep);

  Limit limit;
  if (settings.count > 0) {
    limit.operations = settings.count;
  } else {
    limit.duration = std::chrono::duration<double>(settings.seconds);
    driver.run({.duration = std::chrono::duration<double>(settings.warm_up_seconds)});
  }
  fmt::print("ready\n");
  std::fflush(stdout);
  wait_for_line();
  Measurements measured = driver.run(limit);
  print(measured);
  wait_for_line();
  return measured.errors == 0 && measured.wrong == 0;
}

}  // namespace
}  // namespace partita::bench

int main(int argc, char** argv) {
  CLI::App app("Drives a document server with point reads, creates or posts and prints rates and latencies as JSON");
  partita::bench::Settings settings;
  partita::bench::declare(app, settings);
  CLI11_PARSE(app, argc, argv);
  return partita::bench::run(settings) ? 0 : 1;
}
