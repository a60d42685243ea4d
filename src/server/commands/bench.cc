#include "tools/bench/bench.h"
#include "server/commands/command_parts.h"
#include "server/commands/commands.h"
#include "tools/bench/report/compare.h"
#include "tools/bench/report/report_html.h"
#include "tools/bench/report/report_text.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace partita::server {
namespace {

Status write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? Status() : fail(ErrorCode::kStorageFailure, fmt::format("cannot write {}", path));
}

Result<tools::bench::Report> read_report(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kStorageFailure, fmt::format("cannot read {}", path));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  Result<tools::bench::Report> report = tools::bench::parse_report(text);
  if (!report) return fail(report.error().code, fmt::format("{}: {}", path, report.error().message));
  return report;
}

int complain_of_bench(const Error& error) {
  const int exit_code = complain(error);
  return error.code == ErrorCode::kInvalidInput ? kUsageExitCode : exit_code;
}

int run_comparison(const BenchOptions& options) {
  const Result<tools::bench::Report> first = read_report(options.first_report);
  if (!first) return complain(first.error());
  const Result<tools::bench::Report> second = read_report(options.second_report);
  if (!second) return complain(second.error());
  fmt::print("{}", options.run.is_json ? tools::bench::comparison_json(*first, *second)
                                       : tools::bench::comparison_text(*first, *second));
  return 0;
}

Status keep(const tools::bench::Report& report, const tools::bench::BenchOptions& options) {
  if (!options.json_file.empty()) TRY(write_file(options.json_file, tools::bench::report_json(report) + "\n"));
  if (!options.html_file.empty()) TRY(write_file(options.html_file, tools::bench::report_html(report)));
  return {};
}

}  // namespace

int run_bench(const BenchOptions& options) {
  if (options.is_comparison) return run_comparison(options);
  tools::bench::BenchOptions run = options.run;
  run.client.endpoint = options.server.endpoint;
  run.client.key = options.server.key;
  run.client.tls.is_insecure = options.server.is_insecure;
  run.version = PARTITA_VERSION;
  const Result<tools::bench::Report> report = tools::bench::run_bench(run);
  if (!report) return complain_of_bench(report.error());
  fmt::print("{}", run.is_json ? tools::bench::report_json(*report) + "\n" : "\n" + tools::bench::report_text(*report));
  if (const Status kept = keep(*report, run); !kept) return complain(kept.error());
  return report->errors() == 0 ? 0 : 1;
}

}  // namespace partita::server
