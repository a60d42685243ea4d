#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Replicas as clients know them: every partition, and the metadata, has four addresses, which differ in their paths only. The
// first one is the primary's. All of them lead to the same partition: clients want to choose between several, and compare what
// they say.
namespace partita::cosmos::direct {

inline constexpr size_t kReplicas = 4;
inline constexpr size_t kWriteQuorum = 3;
// Of the addresses of the metadata.
inline constexpr std::string_view kMasterRange = "M";

// The path of a physical address, which clients send with every request: "/apps/partita/services/{container rid in hexadecimal}/
// partitions/{range}/replicas/1p/", of unreserved characters only. `replica` counts from 0.
std::string replica_path(std::string_view container_rid, std::string_view range_id, size_t replica);

// Whether the path is that of a primary replica, with or without its last slash.
bool is_primary_path(std::string_view path);

}  // namespace partita::cosmos::direct
