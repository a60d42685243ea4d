#pragma once

#include "base/result.h"
#include "cluster/resources.h"
#include "document/stored/stored_writer.h"

#include <span>
#include <string>
#include <string_view>

// Databases, containers and partition key ranges as clients read and write them.
namespace partita::cosmos {

void write_database(StoredWriter& out, const Database& database);

// Clients before this version know containers without a partition key (later ones are shown a system key instead), indexes with
// kinds, and query plans only as part of a refusal.
inline constexpr std::string_view kModernVersion = "2018-12-31";
void write_container(StoredWriter& out, const Container& container, bool is_for_modern);
// From the body of a create or replace. `needs_key`: a definition without partition key gets the system key.
Result<ContainerDefinition> parse_container(const Value& body, bool needs_key);

void write_range(StoredWriter& out, const Container& container, const PartitionPlace& place);
// What the client has put into a resource besides the members that are kept apart, as a stored object.
std::string properties_besides(const Value& body, std::span<const std::string_view> kept_apart);

// Changes whenever the list of ranges does.
std::string ranges_etag(const Container& container);

}  // namespace partita::cosmos
