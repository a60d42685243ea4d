#pragma once

#include "client/client.h"
#include "server/options/options.h"

#include <chrono>

namespace partita::server {

// How long an answer may take that is not worth waiting for longer, and one that comes when a long work is done.
inline constexpr std::chrono::milliseconds kAnswerPatience = std::chrono::seconds(30);
inline constexpr std::chrono::milliseconds kWorkPatience = std::chrono::days(30);

// How the client library reaches it.
client::Options client_options(const EndpointOptions& server, std::chrono::milliseconds patience = kAnswerPatience);

// Sends one request to a server, signed with the account's key, and gives its answer whatever the status is.
client::Answer<client::Response> send_signed(const EndpointOptions& server, client::Request request,
                                             std::chrono::milliseconds patience = kAnswerPatience);

}  // namespace partita::server
