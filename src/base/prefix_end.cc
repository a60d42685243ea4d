#include "base/prefix_end.h"

#include "base/check.h"

namespace partita {

std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xFF') end.pop_back();
  CHECK(!end.empty());
  end.back() = static_cast<char>(end.back() + 1);
  return end;
}

}  // namespace partita
