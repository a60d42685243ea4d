#pragma once

#include "spatial/geometry.h"

#include <cstdint>
#include <vector>

namespace partita {

// Cells: squares of 31 sizes, each divided into four of the next size. A cell's number has, from the top, three bits for the face
// of the globe (0 in the plane), two bits for each division, a one, and zeros, as in S2. So the cells inside another one are a
// range of numbers around its own.
using CellNumber = uint64_t;

struct CellRange {
  CellNumber first = 0;
  CellNumber last = 0;  // belongs to it

  bool operator==(const CellRange&) const = default;
};

// PlaneBox: the part of the plane that cells divide. What lies outside counts as lying at its edge.
struct PlaneBox {
  Position least;
  Position most;

  bool operator==(const PlaneBox&) const = default;
};

// Cells of one size, at most (steps_max + 1)² of them, that cover everything between the two positions.
std::vector<CellNumber> cells_between(const Position& least, const Position& most, const PlaneBox& box, uint32_t steps_max);

// All cells that have a point in common with one of these: those inside, those around, and themselves. Sorted, without overlap.
std::vector<CellRange> cells_touching(const std::vector<CellNumber>& cells);

}  // namespace partita
