#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace partita {

void check_failed(std::string_view condition, const char* file, int line, std::string_view why) {
  std::fprintf(stderr, "%s:%d: broken invariant: %.*s%s%.*s\n", file, line, static_cast<int>(condition.size()), condition.data(),
               why.empty() ? "" : ": ", static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace partita
