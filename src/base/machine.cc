#include "base/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

namespace partita {
namespace {

// As it looks from inside of a container; empty where there is no such file.
std::string control_group_says(const std::string& file) {
  std::ifstream stream("/sys/fs/cgroup/" + file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// Takes a number off the text's beginning.
std::optional<uint64_t> take_number(std::string_view& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

size_t allowed_processors() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<size_t>(CPU_COUNT(&allowed));
  return std::thread::hardware_concurrency();  // more of them than fit into the set
}

}  // namespace

std::optional<uint64_t> parse_memory_limit(std::string_view text) { return take_number(text); }

std::optional<size_t> parse_processor_limit(std::string_view text) {
  const std::optional<uint64_t> quota = take_number(text);
  if (!quota || !text.starts_with(' ')) return std::nullopt;
  text.remove_prefix(1);
  const std::optional<uint64_t> period = take_number(text);
  if (!period || *period == 0) return std::nullopt;
  return static_cast<size_t>(*quota / *period + (*quota % *period == 0 ? 0 : 1));
}

uint64_t memory_limit() {
  const auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const uint64_t machine = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(machine, parse_memory_limit(control_group_says("memory.max")).value_or(machine));
}

size_t processor_limit() {
  const size_t allowed = allowed_processors();
  return std::max<size_t>(1, std::min(allowed, parse_processor_limit(control_group_says("cpu.max")).value_or(allowed)));
}

}  // namespace partita
