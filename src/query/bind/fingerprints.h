#pragma once

#include "query/bind/scope.h"
#include "query/sql/ast.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace partita::query {

// Fingerprints: numbers that are the same for expressions which may mean the same, so that those can be found among many without
// comparing them. Each expression is looked at once, however often and as part of whatever it is asked for.
//
// To be asked while the aliases that the expression may use are the ones it is bound with. The expressions outlive this.
class Fingerprints {
 public:
  // The stored form of a parameter's value; null when there is none.
  using ParameterValue = std::function<const std::string*(const std::string& name)>;

  Fingerprints(const Aliases& aliases, ParameterValue parameter) : aliases_(aliases), parameter_(std::move(parameter)) {}

  // Nothing for expressions that mean something else each time: aggregates, and sub-queries with rows of their own.
  std::optional<uint64_t> of(const sql::Expression& e);

 private:
  std::optional<uint64_t> made_of(const sql::Expression& e);
  std::optional<uint64_t> of_query(const sql::Query& query);

  const Aliases& aliases_;
  ParameterValue parameter_;
  std::unordered_map<const sql::Expression*, std::optional<uint64_t>> known_;
};

}  // namespace partita::query
