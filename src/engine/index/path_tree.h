#pragma once

#include "engine/index/index_path.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace partita {

// PathTree: which paths of a document are meant, declared by paths that end in /? (the value at exactly this path) or /*
// (everything at or below it). The longest path that fits decides; at the same length /? is stronger than /*.
struct PathTree {
  std::map<std::string, std::unique_ptr<PathTree>, std::less<>> properties;
  std::unique_ptr<PathTree> elements;       // the step []
  std::optional<bool> is_exact_included;    // declared by .../?
  std::optional<bool> is_subtree_included;  // declared by .../*

  // The node that these steps lead to, made if it is not there.
  PathTree& at(std::span<const IndexPath::Step> steps);
  // One step down; null where no declared path goes further.
  const PathTree* next(const IndexPath::Step& step) const;
  // Whether the value at this path is meant.
  bool includes(std::span<const IndexPath::Step> steps) const;
};

}  // namespace partita
