#include "spatial/cells.h"

#include <algorithm>
#include <cmath>

namespace partita {
namespace {

constexpr uint32_t kDivisions = 30;
constexpr CellNumber kLargestMark = CellNumber{1} << (2 * kDivisions);  // the one in the number of an undivided face

// The lowest bit that is set says how large a cell is.
CellNumber mark_of(CellNumber cell) { return cell & (~cell + 1); }

// Which of the 2^30 columns, or rows, a coordinate lies in. Never decreases with it.
uint32_t column_of(double coordinate, double least, double most) {
  constexpr double kColumns = 1U << kDivisions;
  const double column = std::floor((coordinate - least) / (most - least) * kColumns);
  if (std::isnan(column)) return 0;  // the sides are further apart than any number
  return static_cast<uint32_t>(std::clamp(column, 0.0, kColumns - 1));
}

uint64_t spread_bits(uint64_t value) {
  value = (value | (value << 16)) & 0x0000FFFF0000FFFF;
  value = (value | (value << 8)) & 0x00FF00FF00FF00FF;
  value = (value | (value << 4)) & 0x0F0F0F0F0F0F0F0F;
  value = (value | (value << 2)) & 0x3333333333333333;
  return (value | (value << 1)) & 0x5555555555555555;
}

// The cell with this column and row among cells that are 2^scale columns wide.
CellNumber cell_at(uint32_t column, uint32_t row, uint32_t scale) {
  const uint64_t place = spread_bits(column) << 1 | spread_bits(row);
  return ((place << 1) | 1) << (2 * scale);
}

}  // namespace

std::vector<CellNumber> cells_between(const Position& least, const Position& most, const PlaneBox& box, uint32_t steps_max) {
  const uint32_t left = column_of(least.x, box.least.x, box.most.x);
  const uint32_t right = column_of(most.x, box.least.x, box.most.x);
  const uint32_t bottom = column_of(least.y, box.least.y, box.most.y);
  const uint32_t top = column_of(most.y, box.least.y, box.most.y);
  uint32_t scale = 0;
  while ((right >> scale) - (left >> scale) > steps_max || (top >> scale) - (bottom >> scale) > steps_max) ++scale;
  std::vector<CellNumber> cells;
  for (uint32_t column = left >> scale; column <= right >> scale; ++column) {
    for (uint32_t row = bottom >> scale; row <= top >> scale; ++row) cells.push_back(cell_at(column, row, scale));
  }
  return cells;
}

std::vector<CellRange> cells_touching(const std::vector<CellNumber>& cells) {
  std::vector<CellRange> all;
  for (const CellNumber cell : cells) {
    CellNumber mark = mark_of(cell);
    all.push_back({cell - (mark - 1), cell + (mark - 1)});
    while (mark < kLargestMark) {
      mark <<= 2;
      const CellNumber around = (cell & (~mark + 1)) | mark;
      all.push_back({around, around});
    }
  }
  std::ranges::sort(all, {}, &CellRange::first);
  std::vector<CellRange> joined;
  for (const CellRange& range : all) {
    if (!joined.empty() && range.first <= joined.back().last) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace partita
