#pragma once

#include "query/function/function.h"
#include "search/vectors.h"

#include <optional>
#include <vector>

// What the arguments of VECTORDISTANCE say.
namespace partita::query {

// False unless it is an array of numbers, and has some.
bool read_vector(const Datum& array, std::vector<float>& out);

// What the options say; cosine if they do not. Nothing when the options are not valid: then there is no distance.
std::optional<VectorMetric> metric_of(Arguments arguments);

}  // namespace partita::query
