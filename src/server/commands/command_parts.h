#pragma once

#include "client/response.h"
#include "server/options/options.h"
#include "server/world.h"

#include <string>
#include <string_view>
#include <vector>

// What the commands have in common.
namespace partita::server {

// The exit code of a command that failed.
int complain(const Error& error);

// Each @name=JSON as an element of the array that requests have.
Result<std::string> query_parameters(const std::vector<std::string>& parameters);

// Each NAME=QUERY as a computed property: an array as clients write it, in stored form. Nothing where none is given.
std::string computed_properties(const std::vector<std::string>& definitions);

// The data directory of a stopped server; never makes one.
Result<StoredWorld> open_stopped(const std::string& data);
// The same, to look at it only: nothing is changed, so the disk may be read-only or full.
Result<StoredWorld> open_stopped_to_read(const std::string& data);

// What a server says that does not do what it was asked for.
std::unexpected<Error> refusal_in(const client::Response& answer, const EndpointOptions& server);

// Asks the admin API of a running server; `name` is what stands behind its prefix, `query` what follows a question mark. What
// has a body is an order, and is answered when it was carried out.
Result<std::string> ask_admin(const EndpointOptions& server, std::string_view method, std::string_view name,
                              std::string_view query = {}, std::string_view body = {});

}  // namespace partita::server
