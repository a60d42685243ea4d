#pragma once

#include "base/result.h"
#include "query/query.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

// A query as a client sent it, and what it means.
struct PreparedQuery {
  query::QuerySpecification specification;
  query::Plan plan;

  // query::shape_of(specification), which is found out once. Thread-safe.
  const std::string& shape() const {
    std::call_once(shape_once_, [this] { shape_ = query::shape_of(specification); });
    return shape_;
  }

 private:
  mutable std::once_flag shape_once_;
  mutable std::string shape_;
};

// PreparedQueries: compiles queries, and remembers those that came lately by the bodies of their requests. Thread-safe.
//
// Bounded: queries whose hashes meet drive each other out, and long ones are not kept. A query is kept with the definition of the
// container that it was compiled for, so nobody has to tell of changes.
class PreparedQueries {
 public:
  // `definition`: the container as clients write it, in stored form.
  Result<std::shared_ptr<const PreparedQuery>> prepare(std::string_view body, std::string_view definition);

 private:
  struct Place {
    std::string body;
    std::string definition;
    std::shared_ptr<const PreparedQuery> query;
  };

  static constexpr size_t kPlaces = 512;
  static constexpr size_t kLocks = 16;

  std::shared_ptr<const PreparedQuery> find(size_t place, std::string_view body, std::string_view definition);
  void keep(size_t place, Place kept);

  std::array<std::mutex, kLocks> locks_;  // places in turn
  std::vector<Place> places_ = std::vector<Place>(kPlaces);
};

}  // namespace partita
