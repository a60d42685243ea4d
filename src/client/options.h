#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace partita::client {

// How often and how long a refused or lost request is tried again. Switched off, every answer is handed out as it came.
struct RetryOptions {
  bool is_enabled = true;
  size_t throttled_max = 9;  // after 429 and 449
  size_t failed_max = 3;     // after 408, 410 and 503, and after a lost connection, where trying twice cannot do something twice
  std::chrono::milliseconds wait_max = std::chrono::seconds(30);  // all waits of one request together
};

// How https servers prove who they are. Without a word, the system's certificate authorities decide; only a server on a loopback
// address is believed without proof, because emulators make their certificates themselves.
struct TlsOptions {
  std::string authority_file = {};  // PEM, instead of the system's; also for loopback addresses
  bool is_insecure = false;         // believes every server
};

// What a Client is made of.
struct Options {
  std::string endpoint = "http://localhost:8081/";  // http or https; without a port: 8081 on loopback, else the scheme's own
  std::string key = {};                             // an account key, read-only or not; or
  std::string resource_token = {};                  // a permission's token: `type=resource&...`
  TlsOptions tls = {};
  RetryOptions retry = {};
  size_t connections_max = 64;
  size_t waiting_max = 100'000;  // requests without a connection yet; more are refused
  size_t threads = 1;            // that move bytes and run callbacks; connections are divided among them
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(10);
  std::chrono::milliseconds request_timeout = std::chrono::seconds(65);  // of one attempt, from its first byte to its last
  size_t answer_bytes_max = size_t{64} << 20;
  bool keeps_sessions = true;  // reads see what this client wrote or read before
  std::string user_agent = "partita";
};

}  // namespace partita::client
