#include "tools/bench/report/report.h"
#include "tools/bench/report/compare.h"
#include "tools/bench/report/report_html.h"
#include "tools/bench/report/report_text.h"
#include "tools/bench/report/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace partita::tools::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

// A run of ten seconds with about so many operations in each.
Report sample(uint64_t rate = 1000, double latency_us = 200) {
  Report report;
  report.version = "0";
  report.started_at = "2026-01-02T03:04:05Z";
  report.settings = {{"workload", "b"}, {"endpoint", "http://<here>/"}, {"container", "d/c"}, {"load", "16 connections"}};
  report.seconds = 10;
  OperationReport kind{
      .name = "read", .operations = rate * 10, .errors = 2, .requests = rate * 10, .throttles = 3, .request_units = 10};
  kind.latency.mean_us = latency_us;
  for (size_t i = 0; i < kPercentiles.size(); ++i) kind.latency.percentiles_us[i] = latency_us + static_cast<double>(i);
  report.kinds = {kind, kind};
  report.kinds[1].name = "read-modify-write";
  report.statuses = {{"200", rate * 10}, {"404", 2}};
  report.first_error = "404: not <there>";
  report.partitions = {{.range = "0", .requests = 100, .throttles = 3, .request_units = 5}, {.range = "17", .requests = 300}};
  for (uint64_t second = 1; second <= 10; ++second) {
    const uint64_t jitter = second % 2 == 0 ? 10 : 0;
    report.timeline.push_back({.at_seconds = static_cast<double>(second),
                               .seconds = 1,
                               .operations = 2 * rate + jitter,
                               .p50_us = latency_us + static_cast<double>(jitter) / 10,
                               .p99_us = latency_us * 3});
  }
  report.client_cpu_seconds = 0.2;
  report.server_cpu_seconds = 0.4;
  return report;
}

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto characters = std::ranges::count_if(line, [](char byte) { return (static_cast<uint8_t>(byte) & 0xC0) != 0x80; });
    widest = std::max(widest, static_cast<size_t>(characters));
  }
  return widest;
}

Difference::Verdict verdict(const Report& first, const Report& second, std::string_view name) {
  const std::vector<Difference> differences = compare(first, second);
  const auto found = std::ranges::find(differences, name, &Difference::name);
  EXPECT_NE(found, differences.end()) << name;
  return found == differences.end() ? Difference::Verdict::kUnknown : found->verdict;
}

}  // namespace

TEST(Words, ReadLikeNumbersOfPeople) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(123), "123");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(number_text(0.12345), "0.123");
  EXPECT_EQ(number_text(12.345), "12.3");
  EXPECT_EQ(number_text(12345.6), "12,346");
  EXPECT_EQ(latency_text(850.4), "850 µs");
  EXPECT_EQ(latency_text(1250), "1.25 ms");
  EXPECT_EQ(latency_text(12500), "12.5 ms");
  EXPECT_EQ(latency_text(3'100'000), "3.10 s");
  EXPECT_EQ(duration_text(1.5), "1.5 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(right("µs", 4), "  µs");
  EXPECT_EQ(bar_text(0.5, 2), "█");
  EXPECT_EQ(bar_text(2, 2), "██");
}

TEST(Report, ComesBackFromJson) {
  const Report report = sample();
  const Result<Report> read = parse_report(report_json(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(report_json(*read), report_json(report));
  EXPECT_EQ(report_text(*read), report_text(report));
}

TEST(Report, RefusesOtherJson) {
  EXPECT_THAT(parse_report("[").error().message, HasSubstr("no report of partita bench"));
  EXPECT_FALSE(parse_report("{}"));
  EXPECT_FALSE(parse_report("[]"));
  EXPECT_TRUE(parse_report(R"({"tool":"partita bench","operations":[1,{}],"timeline":{},"totals":7,"statuses":[1]})"));
}

TEST(ReportText, FitsIntoEightyColumns) {
  Report report = sample(1'234'567, 2'345'678'000);
  report.partitions.resize(40, {.range = "1234", .requests = 999'999'999, .throttles = 9'999'999, .request_units = 9e8});
  const std::string text = report_text(report);
  EXPECT_LE(widest_line(text), 80) << text;
  EXPECT_LE(widest_line(live_text(sample(123'456, 99'900), "measuring")), 80);
  EXPECT_LE(
      widest_line(progress_line(
          {.at_seconds = 7000, .seconds = 1, .operations = 123'456, .request_units = 1e5, .p50_us = 999, .p99_us = 99'900})),
      80);
  EXPECT_THAT(text, HasSubstr("... and 24 more"));
}

TEST(ReportText, SaysWhatHappened) {
  Report report = sample();
  report.missed = 12;
  const std::string text = report_text(report);
  EXPECT_THAT(text, HasSubstr("read-modify-write"));
  EXPECT_THAT(text, HasSubstr("6 throttled, 4 errors"));
  EXPECT_THAT(text, HasSubstr("answers: 200 × 10,000, 404 × 2"));
  EXPECT_THAT(text, HasSubstr("12 operations were due at the end and had not begun"));
  EXPECT_THAT(text, HasSubstr("10.0 µs here, server 20.0 µs"));
  EXPECT_THAT(text, Not(HasSubstr(" \n")));
}

TEST(ReportText, AnEmptyReportIsNoProblem) {
  EXPECT_FALSE(report_text(Report()).empty());
  EXPECT_FALSE(live_text(Report(), "loading").empty());
  EXPECT_FALSE(report_html(Report()).empty());
  EXPECT_FALSE(comparison_text(Report(), Report()).empty());
}

TEST(ReportHtml, NeedsNothingFromElsewhere) {
  const std::string page = report_html(sample());
  for (const char* foreign : {"<script", "<link", "<img", "@import", "url(", " src="}) EXPECT_THAT(page, Not(HasSubstr(foreign)));
  EXPECT_THAT(page, HasSubstr("<polyline"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf,")));
}

TEST(ReportHtml, WhatServersSayIsText) {
  const std::string page = report_html(sample());
  EXPECT_THAT(page, HasSubstr("404: not &lt;there&gt;"));
  EXPECT_THAT(page, HasSubstr("http://&lt;here&gt;/"));
  EXPECT_THAT(page, Not(HasSubstr("<here>")));
}

TEST(Compare, TellsDifferencesFromNoise) {
  EXPECT_EQ(verdict(sample(1000), sample(1000), "op/s"), Difference::Verdict::kNoise);
  EXPECT_EQ(verdict(sample(1000), sample(1005), "op/s"), Difference::Verdict::kNoise);
  EXPECT_EQ(verdict(sample(1000), sample(1100), "op/s"), Difference::Verdict::kBetter);
  EXPECT_EQ(verdict(sample(1100), sample(1000), "op/s"), Difference::Verdict::kWorse);
  EXPECT_EQ(verdict(sample(1000, 200), sample(1000, 300), "p50 of each second"), Difference::Verdict::kWorse);
}

TEST(Compare, ShortRunsSayNothingAboutNoise) {
  Report brief = sample();
  brief.timeline.resize(2);
  EXPECT_EQ(verdict(brief, sample(2000), "op/s"), Difference::Verdict::kUnknown);
}

TEST(Compare, ShowsDifferentSettingsFirst) {
  Report other = sample();
  other.settings[3].second = "64 connections";
  const std::string text = comparison_text(sample(), other);
  EXPECT_THAT(text, HasSubstr("  load: 16 connections → 64 connections"));
  EXPECT_LE(widest_line(text), 80) << text;
  EXPECT_THAT(comparison_text(sample(), sample()), HasSubstr("Both runs had the same settings."));
  EXPECT_THAT(comparison_json(sample(), sample()), HasSubstr(R"("verdict":"within noise")"));
}

}  // namespace partita::tools::bench
