#include "protocols/cosmos/direct/replica_path.h"

#include "base/encodings.h"

#include <fmt/format.h>

namespace partita::cosmos::direct {
namespace {

constexpr char kPrimary = 'p';
constexpr char kSecondary = 's';

}  // namespace

std::string replica_path(std::string_view container_rid, std::string_view range_id, size_t replica) {
  const std::string container = container_rid.empty() ? "master" : hex_upper(container_rid);
  return fmt::format("/apps/partita/services/{}/partitions/{}/replicas/{}{}/", container, range_id, replica + 1,
                     replica == 0 ? kPrimary : kSecondary);
}

bool is_primary_path(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  return path.ends_with(kPrimary);
}

}  // namespace partita::cosmos::direct
