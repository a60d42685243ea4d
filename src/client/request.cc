#include "client/request.h"

#include "base/encodings.h"

#include <fmt/format.h>

namespace partita::client {

std::string ContainerName::link() const { return fmt::format("dbs/{}/colls/{}", database, container); }

std::string ContainerName::path() const {
  return fmt::format("/dbs/{}/colls/{}", percent_encode(database), percent_encode(container));
}

}  // namespace partita::client
