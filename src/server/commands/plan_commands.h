#pragma once

#include "base/result.h"
#include "server/options/options.h"

namespace partita::server {

enum class MigrationVerdict {
  kWanted,      // somebody said yes
  kRefused,     // somebody said no, or most documents lack the key
  kUnanswered,  // nobody is there to ask
};

// Shows what the new partition key would do, and asks whether it is wanted.
Result<MigrationVerdict> consider_migration(const ReshapeOptions& options);

}  // namespace partita::server
