// sync_probe: how often per second one writer can put 4 KB on this disk and know that they are there. No server with one
// client can acknowledge durable writes faster.
//
// "append" grows the file, so each fdatasync also commits the new size; "overwrite" writes into blocks that were written
// before, as a recycled log does.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "fatal.h"

namespace partita::bench {
namespace {

constexpr std::size_t kBlockBytes = 4096;
constexpr std::size_t kRecycledBlocks = 4096;  // 16 MB
using Clock = std::chrono::steady_clock;
using Block = std::array<char, kBlockBytes>;

void write_block(int file, const Block& block) {
  if (must("write", ::write(file, block.data(), block.size())) != ssize_t{kBlockBytes}) fatal("short write");
}

void write_recycled_blocks(int file, const Block& block) {
  for (std::size_t i = 0; i < kRecycledBlocks; ++i) write_block(file, block);
  must("fdatasync", ::fdatasync(file));
  must("lseek", ::lseek(file, 0, SEEK_SET));
}

std::vector<double> measure(int file, const Block& block, bool overwrite, double seconds) {
  std::vector<double> latencies_us;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (auto began = Clock::now(); began < deadline;) {
    if (overwrite && latencies_us.size() % kRecycledBlocks == 0) must("lseek", ::lseek(file, 0, SEEK_SET));
    write_block(file, block);
    must("fdatasync", ::fdatasync(file));
    const auto now = Clock::now();
    latencies_us.push_back(std::chrono::duration<double, std::micro>(now - began).count());
    began = now;
  }
  return latencies_us;
}

void print(std::vector<double> latencies_us, double seconds) {
  std::ranges::sort(latencies_us);
  const auto at = [&](double share) {
    return latencies_us[static_cast<std::size_t>(share * static_cast<double>(latencies_us.size() - 1))];
  };
  fmt::print(R"({{"operations":{},"ops_per_s":{:.1f},"p50_us":{:.1f},"p99_us":{:.1f}}})"
             "\n",
             latencies_us.size(), static_cast<double>(latencies_us.size()) / seconds, at(0.50), at(0.99));
}

}  // namespace
}  // namespace partita::bench

int main(int argc, char** argv) {
  using namespace partita::bench;
  CLI::App app("Measures 4 KB write + fdatasync with one writer");
  std::string path;
  double seconds = 1;
  bool overwrite = false;
  app.add_option("file", path, "a file to create; removed afterwards")->required();
  app.add_option("--seconds", seconds);
  app.add_flag("--overwrite", overwrite, "write into blocks that exist, instead of growing the file");
  CLI11_PARSE(app, argc, argv);

  const int file = must("open", ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  Block block;
  block.fill('p');
  if (overwrite) write_recycled_blocks(file, block);
  const auto began = Clock::now();
  std::vector<double> latencies_us = measure(file, block, overwrite, seconds);
  print(std::move(latencies_us), std::chrono::duration<double>(Clock::now() - began).count());
  ::unlink(path.c_str());
  return 0;
}
