#include "engine/index/spatial_paths.h"

#include <algorithm>
#include <cmath>

namespace partita {
namespace {

// Has room for nothing; grows with every box.
constexpr PlaneBox kNoBox{{HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL}};

double side_of(const Value& box, std::string_view name) { return box.find(name).is_number() ? box.find(name).number() : 0; }

void enlarge(PlaneBox& box, const Value& by) {
  box.least = {std::min(box.least.x, side_of(by, "xmin")), std::min(box.least.y, side_of(by, "ymin"))};
  box.most = {std::max(box.most.x, side_of(by, "xmax")), std::max(box.most.y, side_of(by, "ymax"))};
}

}  // namespace

Result<std::optional<SpatialPaths>> SpatialPaths::parse(const Value& definition) {
  if (!definition.is_array() || definition.size() == 0) return std::nullopt;
  SpatialPaths spatial{.paths = {}, .space = Space::kGlobe, .box = kNoBox};
  for (size_t i = 0; i < definition.size(); ++i) {
    const Value path = definition.element(i).find("path");
    if (!path.is_string())
      return fail(ErrorCode::kInvalidInput, "Every spatial index of an indexing policy needs a string 'path'.");
    TRY_ASSIGN(const IndexPath parsed, IndexPath::parse(path.string()));
    PathTree& node = spatial.paths.at(parsed.steps);
    (parsed.is_exact ? node.is_exact_included : node.is_subtree_included) = true;
    const Value box = definition.element(i).find("boundingBox");
    if (!box.is_object()) continue;
    spatial.space = Space::kPlane;
    enlarge(spatial.box, box);
  }
  return spatial;
}

}  // namespace partita
