#include "server/options/options.h"

#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace partita::server {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kOwnKey = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";  // 32 bytes

CommandLine parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "partita");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return parse_command_line(static_cast<int>(pointers.size()), pointers.data());
}

// What is printed about a command line that is not accepted.
std::string complaint(std::vector<std::string> arguments) {
  testing::internal::CaptureStderr();
  const CommandLine line = parse(std::move(arguments));
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(line.command, Command::kNothingMore) << printed;
  EXPECT_EQ(line.exit_code, kUsageExitCode) << printed;
  return printed;
}

// Sets an environment variable for the length of a test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }

 private:
  const char* name_;
};

std::string refusal(const ServeOptions& options) {
  const Status verdict = check_options(options);
  return verdict ? "accepted" : verdict.error().message;
}

}  // namespace

TEST(Options, SayWhereACopyReads) {
  const std::vector<std::string> copy = {"copy", "--from-database", "a", "--from-container", "b", "--database",
                                         "c",    "--container",     "d"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), copy.begin(), copy.end());
    return parse(more).copy.from;
  };
  const std::vector<std::string> to = {"--endpoint", "https://to/", "--key", "own", "--insecure"};
  tools::transfer::Place from = with(to);
  EXPECT_EQ(from.endpoint, "https://to/");
  EXPECT_EQ(from.key, "own");
  EXPECT_TRUE(from.is_insecure);
  from = with({"--endpoint", "https://to/", "--key", "own", "--from-key", "other"});
  EXPECT_EQ(from.endpoint, "https://to/");
  EXPECT_EQ(from.key, "other");
  from = with({"--endpoint", "https://to/", "--key", "own", "--insecure", "--from-endpoint", "https://from/"});
  EXPECT_EQ(from.endpoint, "https://from/");
  EXPECT_EQ(from.key, kWellKnownKey);
  EXPECT_FALSE(from.is_insecure);
  const Environment endpoint("PARTITA_FROM_ENDPOINT", "https://elsewhere/");
  const Environment key("PARTITA_FROM_KEY", "theirs");
  from = with(to);
  EXPECT_EQ(from.endpoint, "https://elsewhere/");
  EXPECT_EQ(from.key, "theirs");
}

TEST(Options, HaveDefaultsThatWork) {
  const CommandLine line = parse({"serve"});
  EXPECT_EQ(line.command, Command::kServe);
  EXPECT_EQ(line.serve.port, 8081);
  EXPECT_EQ(line.serve.bind, "127.0.0.1");
  EXPECT_EQ(line.serve.key, kWellKnownKey);
  EXPECT_EQ(line.serve.durability, Durability::kSynced);
  EXPECT_EQ(refusal(line.serve), "accepted");
}

TEST(Options, TakeASchemeAndHostAsPublicEndpoint) {
  EXPECT_EQ(parse({"serve"}).serve.public_endpoint, "");
  for (const char* url : {"https://db.example.org:8443", "https://db.example.org:8443/"}) {
    EXPECT_EQ(parse({"serve", "--public-endpoint", url}).serve.public_endpoint, "https://db.example.org:8443/");
  }
  for (const char* url : {"db.example.org", "https://", "https:///", "ftp://a/", "http://a/path", "http://a?b", "http://u@a/"}) {
    EXPECT_NE(parse({"serve", "--public-endpoint", url}).exit_code, 0) << url;
  }
}

TEST(Options, LeaveDirectModeOnThePortOfHttpUnlessToldOtherwise) {
  EXPECT_TRUE(parse({"serve"}).serve.serves_direct);
  EXPECT_EQ(parse({"serve"}).serve.direct_port, 0);
  EXPECT_FALSE(parse({"serve", "--direct", "off"}).serve.serves_direct);
  EXPECT_EQ(parse({"serve", "--direct-port", "10250"}).serve.direct_port, 10250);
  EXPECT_NE(complaint({"serve", "--direct", "maybe"}), "");
  EXPECT_NE(complaint({"serve", "--direct-port", "70000"}), "");
}

TEST(Options, AreReadFromTheCommandLine) {
  const CommandLine line = parse(
      {"serve", "--data", "/d", "--port", "0", "--bind", "0.0.0.0", "--key", "a2V5", "--san", "a,b", "--durability", "Relaxed"});
  EXPECT_EQ(line.command, Command::kServe);
  EXPECT_EQ(line.serve.data, "/d");
  EXPECT_EQ(line.serve.port, 0);
  EXPECT_EQ(line.serve.bind, "0.0.0.0");
  EXPECT_EQ(line.serve.key, "a2V5");
  EXPECT_THAT(line.serve.names, ElementsAre("a", "b"));
  EXPECT_EQ(line.serve.durability, Durability::kRelaxed);
  EXPECT_EQ(parse({"check", "--data", "/d"}).command, Command::kCheck);
}

TEST(Options, OfAnExplanationTakeAnyParameter) {
  const CommandLine line = parse({"explain", "-p", R"(@a=[1,"x y"])", "shop", "orders", "SELECT * FROM c", "-p", "@b=2"});
  EXPECT_EQ(line.command, Command::kExplain);
  EXPECT_EQ(line.explain.database, "shop");
  EXPECT_EQ(line.explain.container, "orders");
  EXPECT_EQ(line.explain.query, "SELECT * FROM c");
  EXPECT_THAT(line.explain.parameters, ElementsAre(R"(@a=[1,"x y"])", "@b=2"));
}

TEST(Options, NameDatabaseAndContainerByPositionOrByName) {
  const std::vector<std::vector<std::string>> ways = {{"explain", "shop", "orders", "SELECT 1"},
                                                      {"explain", "SELECT 1", "--database", "shop", "--container", "orders"},
                                                      {"explain", "--container=orders", "shop", "SELECT 1"},
                                                      {"explain", "SELECT 1", "--container", "orders", "--database=shop"}};
  for (const std::vector<std::string>& way : ways) {
    const CommandLine line = parse(way);
    EXPECT_EQ(line.explain.database, "shop");
    EXPECT_EQ(line.explain.container, "orders");
    EXPECT_EQ(line.explain.query, "SELECT 1");
  }
  EXPECT_THAT(complaint({"explain", "shop", "orders", "SELECT 1", "--database", "x"}), HasSubstr("unexpected argument"));
  EXPECT_THAT(complaint({"explain", "SELECT 1", "--database"}), HasSubstr("--database"));
}

TEST(Options, OfALoadTakeTimesSizesAndRates) {
  const CommandLine line =
      parse({"bench", "--workload", "e", "--duration", "2m", "--warm-up", "0", "--rate", "1.5", "--arrivals", "fixed",
             "--document-bytes", "2kb", "--no-retry", "--distribution", "latest", "--container", "c"});
  EXPECT_EQ(line.command, Command::kBench);
  EXPECT_FALSE(line.bench.is_comparison);
  const tools::bench::BenchOptions& run = line.bench.run;
  EXPECT_EQ(run.seconds, 120);
  EXPECT_EQ(run.warm_up_seconds, 0);
  EXPECT_EQ(run.rate, 1.5);
  EXPECT_EQ(run.spacing, tools::bench::Arrivals::Spacing::kFixed);
  EXPECT_EQ(run.document_bytes, 2048);
  EXPECT_EQ(run.keys, tools::bench::KeyOrder::kLatest);
  EXPECT_EQ(run.container, "c");
  EXPECT_FALSE(run.retries_throttled);
  EXPECT_TRUE(parse({"bench"}).bench.run.retries_throttled);
}

TEST(Options, TwoReportsOfALoadAreCompared) {
  const CommandLine line = parse({"bench", "compare", "a.json", "b.json", "--json"});
  EXPECT_TRUE(line.bench.is_comparison);
  EXPECT_EQ(line.bench.first_report, "a.json");
  EXPECT_EQ(line.bench.second_report, "b.json");
  EXPECT_TRUE(line.bench.run.is_json);
  EXPECT_THAT(complaint({"bench", "compare", "a.json"}), HasSubstr("second"));
  EXPECT_THAT(complaint({"bench", "--duration", "5 weeks"}), HasSubstr("use a time such as 30s"));
  EXPECT_THAT(complaint({"bench", "--rate", "0"}), HasSubstr("such as 5000"));
  EXPECT_THAT(complaint({"bench", "--count", "5", "--duration", "5s"}), HasSubstr("--count"));
}

TEST(Options, OfAMigrationTakePathsInEitherForm) {
  for (const std::vector<std::string>& paths : {std::vector<std::string>{"/tenantId,/deviceId"}, {"/tenantId", "/deviceId"}}) {
    std::vector<std::string> arguments = {"migrate", "db", "c"};
    arguments.insert(arguments.end(), paths.begin(), paths.end());
    EXPECT_THAT(parse(arguments).reshape.paths, ElementsAre("/tenantId", "/deviceId"));
  }
  EXPECT_THAT(parse({"migrate", "db", "c", R"(/"a,b",/c)"}).reshape.paths, ElementsAre(R"(/"a,b")", "/c"));
  EXPECT_THAT(parse({"migrate", "db", "c", "/k", "--computed", "k=SELECT VALUE c.a FROM c"}).reshape.computed,
              ElementsAre("k=SELECT VALUE c.a FROM c"));
  EXPECT_THAT(complaint({"migrate", "db", "c", "/k", "--computed", "k"}), HasSubstr("NAME=QUERY"));
  EXPECT_THAT(complaint({"migrate", "db", "c", "tenant"}), HasSubstr("invalid path 'tenant'; use a path such as /tenant"));
  EXPECT_THAT(complaint({"migrate", "db", "c", "/a,/b,/c,/d"}), HasSubstr("at most 3 paths"));
  EXPECT_THAT(complaint({"migrate", "db", "c", "/a,/b", "/c,/d"}), HasSubstr("at most 3 paths"));
  const CommandLine plan = parse({"plan-split", "db", "c", "--partition-key", "/a", "--partition-key", "/b,/c"});
  EXPECT_THAT(plan.plan_split.plan.candidates, ElementsAre(ElementsAre("/a"), ElementsAre("/b", "/c")));
}

TEST(Options, OfToolsWorkOnADirectoryOrAServer) {
  EXPECT_EQ(parse({"split", "db", "c", "0"}).reshape.data, "./data");
  EXPECT_THAT(complaint({"split", "db", "c", "0", "--mode", "online"}), HasSubstr("--endpoint"));
  EXPECT_THAT(complaint({"split", "db", "c", "0", "--data", "d", "--endpoint", "http://h/"}), HasSubstr("excludes"));
  const Environment data("PARTITA_DATA", "/env");
  EXPECT_EQ(parse({"split", "db", "c", "0"}).reshape.data, "/env");
  const Environment endpoint("PARTITA_ENDPOINT", "http://env/");
  EXPECT_EQ(parse({"split", "db", "c", "0", "--mode", "online"}).reshape.server.endpoint, "http://env/");
  EXPECT_EQ(parse({"plan-split", "db", "c", "--data", "/d"}).plan_split.server.endpoint, "");
  EXPECT_EQ(parse({"plan-split", "db", "c", "--data", "/d"}).plan_split.data, "/d");
  EXPECT_EQ(parse({"top"}).top.server.endpoint, "http://env/");
}

TEST(Options, TakeUnitsInEverySize) {
  EXPECT_EQ(parse({"serve", "--memory-mb", "2GiB"}).serve.memory_megabytes, 2048u);
  EXPECT_EQ(parse({"serve", "--memory-mb", "512"}).serve.memory_megabytes, 512u);
  EXPECT_EQ(parse({"plan-split", "db", "c", "--partition-bytes", "64MB"}).plan_split.plan.limits.partition_bytes_max, 64u << 20);
  EXPECT_EQ(parse({"simulate", "--partition-bytes", "1GiB"}).simulate.simulation.limits.partition_bytes_max, 1u << 30);
}

TEST(Options, ThatMakeNoSenseAreRefused) {
  for (const char* partitions : {"0", "-1", "1000000000000", "x"}) {
    EXPECT_THAT(complaint({"simulate", "--partitions", partitions}), HasSubstr("use a number from 1 to")) << partitions;
  }
  EXPECT_THAT(complaint({"simulate", "--use", "-1"}), HasSubstr("invalid --use '-1'; use a number above 0"));
  EXPECT_THAT(complaint({"simulate", "--hours", "0"}), HasSubstr("use a number from 1 to"));
  EXPECT_THAT(complaint({"simulate", "--partition-bytes", "0"}), HasSubstr("use a number from 1 to"));
  EXPECT_THAT(complaint({"plan-split", "db", "c", "--throughput", "0"}), HasSubstr("use a number from 400 to"));
  EXPECT_THAT(complaint({"explain", "db", "c", "q", "-p", "city=1"}), HasSubstr("use @name=JSON"));
  EXPECT_THAT(complaint({"explain", "db", "c", "q", "--partition-key", "ada"}), HasSubstr("use JSON"));
  EXPECT_THAT(complaint({"split", "db", "c", "0", "--at", "xy"}), HasSubstr("use a hash in hexadecimal"));
}

TEST(Options, ComeFromCommandLineThenEnvironmentThenFile) {
  TemporaryDirectory directory;
  const std::string file = directory.path() + "/partita.conf";
  std::ofstream(file) << "port = 1\nbind = 127.0.0.2\nlog = warn\n";
  const Environment port("PARTITA_PORT", "2");
  const Environment bind("PARTITA_BIND", "127.0.0.3");
  const CommandLine line = parse({"serve", "--config", file, "--port", "3"});
  EXPECT_EQ(line.command, Command::kServe);
  EXPECT_EQ(line.serve.port, 3);
  EXPECT_EQ(line.serve.bind, "127.0.0.3");
  EXPECT_EQ(line.serve.log, "warn");
}

TEST(Options, AMistakeInTheFileIsNotAccepted) {
  TemporaryDirectory directory;
  const std::string file = directory.path() + "/partita.conf";
  const auto complaint_about = [&](const char* text) {
    std::ofstream(file) << text;
    return complaint({"serve", "--config", file});
  };
  EXPECT_THAT(complaint_about("prot = 1\n"), HasSubstr(file + ": unknown option 'prot'"));
  EXPECT_THAT(complaint_about("port = x\n"), HasSubstr(file + ": invalid --port 'x'; use a number from 0 to 65535"));
  EXPECT_THAT(complaint_about("durability = never\n"), HasSubstr(file + ": invalid --durability 'never'; use relaxed or synced"));
}

TEST(Options, FlagsAndChoicesCanBeInTheFile) {
  TemporaryDirectory directory;
  const std::string file = directory.path() + "/partita.conf";
  std::ofstream(file) << "no-rate-limit = true\ndurability = relaxed\nconsistency = strong\nfidelity = extended\nsan = [a, b]\n";
  const CommandLine line = parse({"serve", "--config", file});
  EXPECT_EQ(line.command, Command::kServe);
  EXPECT_TRUE(line.serve.has_no_rate_limit);
  EXPECT_EQ(line.serve.durability, Durability::kRelaxed);
  EXPECT_EQ(line.serve.consistency, cosmos::ConsistencyLevel::kStrong);
  EXPECT_EQ(line.serve.fidelity, cosmos::Fidelity::kExtended);
  EXPECT_EQ(parse({"serve"}).serve.fidelity, cosmos::Fidelity::kService);
  EXPECT_THAT(line.serve.names, ElementsAre("a", "b"));
}

TEST(Options, MistakesAreNamed) {
  EXPECT_THAT(complaint({}), AllOf(HasSubstr("no command was given; use serve, check,"), HasSubstr("partita --help")));
  EXPECT_THAT(complaint({"nonsense"}), HasSubstr("unknown command 'nonsense'; use serve, check,"));
  EXPECT_THAT(complaint({"serve", "--prot", "5"}),
              AllOf(HasSubstr("unknown option '--prot'"), HasSubstr("partita serve --help")));
  EXPECT_THAT(complaint({"check", "there"}), HasSubstr("unexpected argument 'there'"));
  EXPECT_THAT(complaint({"serve", "--port", "x"}), HasSubstr("invalid --port 'x'; use a number from 0 to 65535"));
  EXPECT_THAT(complaint({"serve", "--port", "65536"}), HasSubstr("; use a number from 0 to"));
  EXPECT_THAT(complaint({"serve", "--threads", "-1"}), HasSubstr("; use a number from 0 to"));
  EXPECT_THAT(complaint({"serve", "--threads", "100000"}), HasSubstr("; use a number from 0 to"));
  EXPECT_THAT(complaint({"serve", "--query-parallelism", "-1"}), HasSubstr("; use a number from 0 to"));
  EXPECT_THAT(complaint({"serve", "--durability", "never"}), HasSubstr("invalid --durability 'never'; use relaxed or synced"));
  EXPECT_THAT(complaint({"serve", "--partition-bytes-max", "5x"}),
              HasSubstr("invalid --partition-bytes-max '5x'; use a number of bytes such as 64kb or 50GB"));
  EXPECT_THAT(complaint({"serve", "--public-endpoint", "x"}),
              HasSubstr("invalid --public-endpoint 'x'; use a scheme and a host"));
  EXPECT_THAT(complaint({"top", "--over", "days"}), HasSubstr("invalid --over 'days'; use hours, minutes or seconds"));
  EXPECT_THAT(complaint({"top", "--lines", "x"}), HasSubstr("invalid --lines 'x'"));
  EXPECT_THAT(complaint({"split", "--mode", "later", "db", "c", "0"}),
              HasSubstr("invalid --mode 'later'; use online, readOnly or offline"));
  EXPECT_THAT(complaint({"serve", "--config", "/no/such/file"}), HasSubstr("partita: cannot read /no/such/file\n"));
}

TEST(Options, HelpAndVersionAreNoMistakes) {
  for (const char* flag : {"--help", "--version"}) {
    const CommandLine line = parse({flag});
    EXPECT_EQ(line.command, Command::kNothingMore);
    EXPECT_EQ(line.exit_code, 0);
  }
}

TEST(Options, TheWellKnownKeyStaysOnLoopback) {
  ServeOptions options;
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
    options.bind = address;
    EXPECT_EQ(refusal(options), "accepted") << address;
  }
  for (const char* address : {"0.0.0.0", "::", "192.168.0.1", "example.org", "127.0.0.1.example.org", "127.example.org", ""}) {
    options.bind = address;
    EXPECT_THAT(refusal(options), HasSubstr("the emulator's well-known key")) << address;
  }
  options.bind = "0.0.0.0";
  options.key = kOwnKey;
  EXPECT_EQ(refusal(options), "accepted");
  for (std::string ServeOptions::* other : {&ServeOptions::secondary_key, &ServeOptions::read_only_key,
                                            &ServeOptions::secondary_read_only_key, &ServeOptions::metrics_key}) {
    ServeOptions with_known = options;
    with_known.*other = kWellKnownKey;
    EXPECT_THAT(refusal(with_known), HasSubstr("the emulator's well-known key"));
  }
}

TEST(Options, KeysCannotBeGuessed) {
  ServeOptions options;
  for (const char* key : {"YQ==", "bXkgb3du", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MA=="}) {  // up to 31 bytes
    options.key = key;
    EXPECT_THAT(refusal(options), AllOf(HasSubstr("--key has"), HasSubstr("openssl rand"))) << key;
    options.key = kOwnKey;
    options.secondary_read_only_key = key;
    EXPECT_THAT(refusal(options), HasSubstr("--secondary-read-only-key has")) << key;
    options.secondary_read_only_key.clear();
  }
  options.metrics_key = "not base64!";
  EXPECT_THAT(refusal(options), HasSubstr("--metrics-key is not base64"));
}

TEST(Options, AKeyIsGoodForOneThing) {
  ServeOptions options;
  options.read_only_key = options.key;
  EXPECT_THAT(refusal(options), HasSubstr("--key and --read-only-key must differ"));
  options.read_only_key = kOwnKey;
  EXPECT_EQ(refusal(options), "accepted");
  options.metrics_key = kOwnKey;
  EXPECT_THAT(refusal(options), HasSubstr("--read-only-key and --metrics-key must differ"));
  options.metrics_key.clear();
  options.secondary_read_only_key = kOwnKey;
  options.secondary_key = options.key;
  EXPECT_EQ(refusal(options), "accepted");
}

TEST(Options, SayWhoGetsIn) {
  const CommandLine line = parse({"serve", "--cors-origin", "https://a.example.org/", "--cors-origin", "http://localhost:3000",
                                  "--allow-host", "db.internal,*.example.org", "--https-only", "--san", "10.0.0.1,fe80::1",
                                  "--public-endpoint", "https://public.example.org:444/"});
  EXPECT_THAT(line.serve.cors_origins, ElementsAre("https://a.example.org", "http://localhost:3000"));
  const RequestGuard::Rules rules = guard_rules(line.serve);
  EXPECT_TRUE(rules.is_https_only);
  EXPECT_TRUE(rules.checks_host);
  EXPECT_THAT(rules.hosts, ElementsAre("db.internal", "*.example.org", "10.0.0.1", "[fe80::1]", "public.example.org"));
  EXPECT_EQ(rules.public_origin, "https://public.example.org:444");
  EXPECT_TRUE(rules.origins.names("http://localhost:3000"));
  EXPECT_FALSE(rules.origins.names("http://localhost:3001"));
  ServeOptions beyond_loopback;
  beyond_loopback.bind = "0.0.0.0";
  EXPECT_FALSE(guard_rules(beyond_loopback).checks_host);
  beyond_loopback.allowed_hosts = {"db.example.org"};
  EXPECT_TRUE(guard_rules(beyond_loopback).checks_host);
  for (const char* origin :
       {"null", "example.org", "https://", "https://a/b", "https://A.example.org", "https://*.example.org"}) {
    EXPECT_NE(parse({"serve", "--cors-origin", origin}).exit_code, 0) << origin;
  }
  for (const char* host : {"a:80", "http://a", ""}) EXPECT_NE(parse({"serve", "--allow-host", host}).exit_code, 0) << host;
}

TEST(Options, ACertificateNeedsItsKey) {
  ServeOptions options;
  options.certificate = "cert.pem";
  EXPECT_THAT(refusal(options), HasSubstr("--cert and --cert-key must be given together"));
  options.certificate_key = "key.pem";
  EXPECT_EQ(refusal(options), "accepted");
  options.certificate.clear();
  EXPECT_THAT(refusal(options), HasSubstr("--cert and --cert-key must be given together"));
}

TEST(Options, AdviceIsAboutFilesOrAContainer) {
  const CommandLine files = parse({"advise", "a.ndjson", "-", "--throughput", "50000", "--expected-size", "2TB", "--json"});
  EXPECT_EQ(files.command, Command::kAdvise);
  EXPECT_THAT(files.advise.files, ElementsAre("a.ndjson", "-"));
  EXPECT_EQ(files.advise.throughput, 50'000);
  EXPECT_EQ(files.advise.expected_bytes, 2ULL << 40);
  EXPECT_EQ(parse({"advise", "--database", "d", "--container", "c"}).command, Command::kAdvise);
  EXPECT_THAT(complaint({"advise"}), HasSubstr("give files, or --database and --container"));
  EXPECT_THAT(complaint({"advise", "a", "--database", "d", "--container", "c"}), HasSubstr("one of both"));
  EXPECT_NE(parse({"advise", "--database", "d"}).exit_code, 0);
  EXPECT_THAT(complaint({"advise", "a", "--throughput", "1"}), HasSubstr("a number from 400 to 2000000"));
  EXPECT_THAT(complaint({"advise", "a", "--sample", "-1"}), HasSubstr("a number from 1 to 1000000"));
}

}  // namespace partita::server
