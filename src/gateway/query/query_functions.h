#pragma once

#include "base/result.h"
#include "cluster/catalog/catalog.h"
#include "query/query.h"
#include "script/script_engine.h"

#include <map>
#include <memory>
#include <string>

namespace partita {

// kInvalidQuery when the plan calls a function that the container does not have.
Status check_functions_exist(const query::Plan& plan, const Catalog& catalog, const Container& container);

// QueryFunctions: a container's user defined functions, as one run of a query calls them. Not thread-safe.
class QueryFunctions final : public query::UserFunctions {
 public:
  // Everything outlives it. `session` may be that of a script that runs the query.
  QueryFunctions(const Catalog& catalog, const Container& container, script::FunctionSession& session)
      : catalog_(catalog), container_(container), session_(session) {}

  // Errors: kInvalidQuery when there is no such function, and those of scripts.
  Result<bool> call(std::string_view name, std::span<const query::Datum> arguments, StoredWriter& result) override;
  uint64_t spent_us() const override { return session_.processor_us(); }

 private:
  Result<ScriptPtr> find(std::string_view name);

  const Catalog& catalog_;
  const Container& container_;
  script::FunctionSession& session_;
  std::map<std::string, ScriptPtr, std::less<>> known_;
};

}  // namespace partita
