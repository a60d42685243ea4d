// A measuring program that cannot measure says why and stops: there is nothing to recover.
#pragma once

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

namespace partita::bench {

template <typename... Arguments>
[[noreturn]] void fatal(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print(stderr, "{}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
  std::exit(2);
}

// The result of a system call that must succeed.
template <typename Integer>
Integer must(const char* what, Integer result) {
  if (result < 0) fatal("{}: {}", what, std::strerror(errno));
  return result;
}

}  // namespace partita::bench
