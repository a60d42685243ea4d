#pragma once

#include "base/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace partita::client {

// LookupResolver: a container for each key that is named, such as a region or a large tenant, and one for all others if there is
// one. Immutable and thread-safe.
class LookupResolver {
 public:
  using Links = std::map<std::string, std::string, std::less<>>;

  // An empty `others`: a key that is not named has no container.
  explicit LookupResolver(Links links, std::string others = {}) : links_(std::move(links)), others_(std::move(others)) {}

  Result<std::string> resolve_for_create(std::string_view key) const {
    if (const auto found = links_.find(key); found != links_.end()) return found->second;
    if (!others_.empty()) return others_;
    return fail(ErrorCode::kNotFound, fmt::format("the resolver has no container for the key '{}'", key));
  }
  Result<std::string> resolve_for_read(std::string_view key) const { return resolve_for_create(key); }

  // All containers, each once.
  std::vector<std::string> links() const {
    std::vector<std::string> all;
    for (const auto& [key, link] : links_) all.push_back(link);
    if (!others_.empty()) all.push_back(others_);
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    return all;
  }

 private:
  Links links_;
  std::string others_;
};

}  // namespace partita::client
