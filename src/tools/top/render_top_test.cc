#include "tools/top/render_top.h"

#include <gtest/gtest.h>

namespace partita::tools {
namespace {

constexpr std::string_view kStatistics = R"({"containers":[
  {"database":"shop","container":"orders","throughput":20000,"partitions":[
    {"id":"0","documents":10,"bytes":2048,"budget":10000,"requestUnitsPerSecond":120.5,"throttledPerSecond":0,
     "latencyMedianUs":64,"latency99Us":2048,
     "seconds":[{"requestUnits":120},{"requestUnits":0}],"minutes":[{"requestUnits":600000},{"requestUnits":300000}],"hours":[],"hotKeys":[{"partitionKey":"[\"a\"]","share":0.02}]},
    {"id":"1","documents":1000000,"bytes":5368709120,"budget":10000,"requestUnitsPerSecond":9999,"throttledPerSecond":12.5,
     "latencyMedianUs":128,"latency99Us":8192,
     "hotKeys":[{"partitionKey":"[\"ada\"]","share":0.9},{"effectivePartitionKey":"05C1","share":0.1}]}]},
  {"database":"shop","container":"idle","throughput":400,"partitions":[
    {"id":"0","documents":0,"bytes":0,"budget":0,"requestUnitsPerSecond":0,"throttledPerSecond":0,"latencyMedianUs":0,
     "latency99Us":0,"hotKeys":[{"partitionKey":"[\"old\"]","share":1}]}]}]})";

}  // namespace

TEST(RenderTop, ShowsTheBusiestPartitionsFirstWithTheirHotKeys) {
  EXPECT_EQ(*render_top(kStatistics, {.lines_max = 10, .span = TopSpan::kMinutes}),
            R"(3 partitions, 10119.5 RU/s, 12.5 throttled/s

container   range  documents     size     RU/s  budget  used   429/s  median    99 % 20 minutes
shop/orders     1    1000000   5.0 GB   9999.0   10000  100%    12.5  128 µs  8.2 ms
     90% ["ada"]
     10% 05C1
         throttled for one key value, which no split can spread: give it more throughput, or choose a finer key
shop/orders     0         10   2.0 KB    120.5   10000    1%     0.0   64 µs  2.0 ms                   ▄█
shop/idle       0          0      0 B      0.0       -     -     0.0    0 µs    0 µs
)");
}

TEST(RenderTop, KeepsItsColumnsWhateverTheNumbers) {
  const std::string text = *render_top(
      R"({"containers":[{"database":"d","container":"c","partitions":[
        {"id":"0","documents":5,"bytes":349000,"latencyMedianUs":131072,"latency99Us":16777216},
        {"id":"1","documents":5,"bytes":34900,"latencyMedianUs":65536,"latency99Us":524288}]}]})",
      {.lines_max = 10, .span = TopSpan::kMinutes});
  EXPECT_NE(text.find(" 341 KB      0.0       -     -     0.0  131 ms  16.8 s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("34.1 KB      0.0       -     -     0.0 65.5 ms  524 ms\n"), std::string::npos) << text;
}

TEST(RenderTop, DrawsTheSpanThatIsAskedFor) {
  EXPECT_NE(render_top(kStatistics, {.lines_max = 10, .span = TopSpan::kSeconds})->find("20 seconds"), std::string::npos);
  EXPECT_NE(render_top(kStatistics, {.lines_max = 10, .span = TopSpan::kSeconds})->find(" ▁\n"), std::string::npos);
  EXPECT_EQ(render_top(kStatistics, {.lines_max = 10, .span = TopSpan::kHours})->find("▁"), std::string::npos);
}

TEST(RenderTop, CutsLongNamesInTheMiddle) {
  const std::string text = *render_top(
      R"({"containers":[{"database":"0123456789abcdef0123456789","container":"0123456789abcdef0123","partitions":[{"id":"7"}]}]})",
      {.lines_max = 10, .span = TopSpan::kMinutes});
  EXPECT_NE(text.find("\n0123456789abcdef…56789abcdef0123     7 "), std::string::npos) << text;
}

TEST(RenderTop, LeavesOutWhatMattersLeastInANarrowTerminal) {
  const auto at = [](size_t columns) {
    const std::string text = *render_top(kStatistics, {.columns = columns});
    return text.substr(text.find("container"), text.find("shop/idle") - text.find("container"));
  };
  EXPECT_EQ(at(80), R"(container   range  documents     size     RU/s  budget  used   429/s    99 %
shop/orders     1    1000000   5.0 GB   9999.0   10000  100%    12.5  8.2 ms
     90% ["ada"]
     10% 05C1
         throttled for one key value, which no split can spread: give it more th
shop/orders     0         10   2.0 KB    120.5   10000    1%     0.0  2.0 ms
)");
  EXPECT_EQ(at(40).substr(0, at(40).find('\n')), "container   range     RU/s  used   429/s");
  EXPECT_NE(at(110).find(" 20 minutes\n"), std::string::npos);
}

TEST(RenderTop, ColoursWhatIsThrottled) {
  const std::string text = *render_top(kStatistics, {.is_coloured = true});
  EXPECT_NE(text.find("\n\x1b[31mshop/orders     1 "), std::string::npos) << text;
  EXPECT_NE(text.find("8.2 ms\x1b[0m\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nshop/orders     0 "), std::string::npos) << text;
}

TEST(RenderTop, AdvisesToSplitWhatManyKeyValuesShare) {
  const std::string text = *render_top(
      R"({"containers":[{"database":"d","container":"c","partitions":[
        {"id":"0","budget":400,"requestUnitsPerSecond":400,"throttledPerSecond":3,"hotKeys":[{"partitionKey":"[1]","share":0.2}]}]}]})",
      {});
  EXPECT_NE(text.find("     20% [1]\n         throttled: raise the throughput, or split this partition\n"), std::string::npos)
      << text;
}

TEST(RenderTop, LeavesOutWhatDoesNotFit) {
  const std::string text = *render_top(kStatistics, {.lines_max = 1, .span = TopSpan::kMinutes});
  EXPECT_NE(text.find("... and 2 more\n"), std::string::npos);
  EXPECT_EQ(text.find("shop/idle"), std::string::npos);
}

// Tenants choose them, and operators look at them.
TEST(RenderTop, NamesAndKeysDoNotCommandTheTerminal) {
  const std::string text = *render_top(
      R"({"containers":[{"database":"\u001b]0;d\u0007","container":"\u001b[2Jc","partitions":[
        {"id":"\u009b1m","budget":400,"requestUnitsPerSecond":400,"hotKeys":[{"partitionKey":"[\"\u001b[A\"]","share":0.9}]}]}]})",
      {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find(R"(\u009b1m)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(90% ["\u001b[A"])"), std::string::npos) << text;
}

TEST(RenderTop, BelievesNoServerItsNumbers) {
  EXPECT_TRUE(render_top(
      R"({"containers":[{"database":"d","container":"c","partitions":[
        {"id":"0","budget":-400,"requestUnitsPerSecond":-1e300,"documents":-1,"bytes":1e308,"latencyMedianUs":-1,
         "minutes":[{"requestUnits":-1e308},{"requestUnits":1e308}],"hotKeys":[{"share":-1},7,null]},8,{"minutes":[1]}]},9]})",
      {}));
}

TEST(RenderTop, RefusesWhatIsNotJson) { EXPECT_FALSE(render_top("<html>", {})); }

}  // namespace partita::tools
