#pragma once

#include <string_view>

namespace partita {

[[noreturn]] void check_failed(std::string_view condition, const char* file, int line, std::string_view why = {});

}  // namespace partita

// CHECK: an invariant of ours, on in release. Never on anything that a client or a disk can cause.
#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      ::partita::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
#define CHECK_MESSAGE(condition, why)                               \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::partita::check_failed(#condition, __FILE__, __LINE__, why); \
  } while (false)
