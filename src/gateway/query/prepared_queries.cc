#include "gateway/query/prepared_queries.h"

#include "document/json/json.h"

#include <functional>
#include <utility>

namespace partita {
namespace {

// Of body and definition together.
constexpr size_t kKeptBytesMax = 8 * 1024;

Result<std::shared_ptr<const PreparedQuery>> compile(std::string_view body, std::string_view definition) {
  auto prepared = std::make_shared<PreparedQuery>();
  TRY_ASSIGN(const std::string stored, stored_from_json(body));
  TRY_ASSIGN(prepared->specification, query::QuerySpecification::from(Value::view(stored)));
  TRY_ASSIGN(prepared->plan, query::compile(prepared->specification, query::Schema::of(Value::view(definition))));
  return prepared;
}

}  // namespace

Result<std::shared_ptr<const PreparedQuery>> PreparedQueries::prepare(std::string_view body, std::string_view definition) {
  if (body.size() + definition.size() > kKeptBytesMax) return compile(body, definition);
  const std::hash<std::string_view> hash;
  const size_t place = (hash(body) ^ hash(definition)) % kPlaces;
  if (auto known = find(place, body, definition)) return known;
  TRY_ASSIGN(std::shared_ptr<const PreparedQuery> prepared, compile(body, definition));
  keep(place, {std::string(body), std::string(definition), prepared});
  return prepared;
}

std::shared_ptr<const PreparedQuery> PreparedQueries::find(size_t place, std::string_view body, std::string_view definition) {
  std::lock_guard lock(locks_[place % kLocks]);
  const Place& found = places_[place];
  return found.body == body && found.definition == definition ? found.query : nullptr;
}

// What was there before goes when nobody waits any more.
void PreparedQueries::keep(size_t place, Place kept) {
  std::lock_guard lock(locks_[place % kLocks]);
  std::swap(places_[place], kept);
}

}  // namespace partita
