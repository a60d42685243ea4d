#pragma once

#include "base/turn.h"
#include "cluster/resources.h"

namespace partita {

// Whose share of the workers work is done in (base/fair_scheduler).
inline constexpr Tenant kAccountTenant{};
inline Tenant tenant_of(const Database& database) { return {.database = database.number, .container = 0}; }
inline Tenant tenant_of(const Container& container) {
  return {.database = container.database->number, .container = container.number};
}

}  // namespace partita
