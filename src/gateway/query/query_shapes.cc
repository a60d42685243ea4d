#include "gateway/query/query_shapes.h"

#include <algorithm>

namespace partita {

void QueryShapes::note(const Container& container, std::string_view shape, double units) {
  if (shape.empty() || shape.size() > kTextBytesMax) return;
  std::lock_guard lock(mutex_);
  auto record = records_.find(container.number);
  if (record == records_.end()) {
    if (records_.size() >= kContainersMax) {
      records_.erase(std::ranges::min_element(records_, {}, [](const auto& entry) { return entry.second.last_used; }));
    }
    record = records_.emplace(container.number, Record{}).first;
  }
  record->second.last_used = ++uses_;
  std::vector<Shape>& shapes = record->second.shapes;
  auto known = std::ranges::find(shapes, shape, &Shape::text);
  if (known == shapes.end()) {
    if (shapes.size() >= kShapesMax) shapes.erase(std::ranges::min_element(shapes, {}, &Shape::pages));
    known = shapes.insert(shapes.end(), {.text = std::string(shape)});
  }
  ++known->pages;
  known->units += units;
}

std::vector<QueryShapes::Shape> QueryShapes::of(const Container& container) const {
  std::lock_guard lock(mutex_);
  const auto record = records_.find(container.number);
  if (record == records_.end()) return {};
  std::vector<Shape> shapes = record->second.shapes;
  std::ranges::sort(shapes, [](const Shape& left, const Shape& right) {
    return left.pages != right.pages ? left.pages > right.pages : left.text < right.text;
  });
  return shapes;
}

}  // namespace partita
