#pragma once

#include "base/result.h"
#include "cluster/resources.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

// What the files of the catalog share.
namespace partita {

// Numbers are given out by counters; these are their names on disk.
inline constexpr std::string_view kDatabaseCounter = "database";
inline constexpr std::string_view kContainerCounter = "container";
inline constexpr std::string_view kOfferCounter = "offer";
inline constexpr std::string_view kPartitionCounter = "partition";
inline constexpr std::string_view kIndexCounter = "index";
inline constexpr std::string_view kScriptCounter = "script";

inline std::unexpected<Error> no_database(std::string_view id, ErrorCode code) {
  return fail(code, fmt::format("The database '{}' does not exist.", id));
}

inline std::unexpected<Error> no_container(std::string_view id, ErrorCode code = ErrorCode::kNotFound) {
  return fail(code, fmt::format("The container '{}' does not exist.", id));
}

std::unexpected<Error> id_is_rid(std::string_view id);

// The number in a rid that has `prefix` bytes before it; nothing when the text is not such a rid.
std::optional<uint32_t> number_in_rid(std::string_view text, size_t prefix);

// Without partition key a container has one partition for ever.
Status check_can_be_spread(const ContainerDefinition& definition, const Throughput& throughput);

}  // namespace partita
