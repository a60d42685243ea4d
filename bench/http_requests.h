#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "connection.h"
#include "request_file.h"

namespace partita::bench {

// Where the documents are, and the key that signs requests for them.
struct HttpTarget {
  std::string host;
  std::uint16_t port = 0;
  std::string database;
  std::string container;
  std::string master_key;  // base64, as in a connection string
  bool updates = false;    // creates replace what is there
};

// HttpRequests: the bytes of signed requests, with the headers that an official SDK sends.
//
// Reads are signed ahead, one signature for each document, so that signing costs the client nothing while it measures;
// every signature is renewed long before a server may call its date too old. Shared by all connections of one thread.
class HttpRequests {
 public:
  // `posts`: the bodies of kPost, which outlive it; `post_headers`: whole lines that all of them carry.
  HttpRequests(HttpTarget target, Operation operation, std::uint64_t documents, const RequestFile* posts,
               std::string post_headers);

  const HttpTarget& target() const { return target_; }

  // Valid until the next call.
  std::string_view request(std::uint64_t number);

 private:
  using Clock = std::chrono::steady_clock;
  struct Prepared {
    std::string bytes;
    Clock::time_point signed_at;
  };

  std::string_view read(std::uint64_t number);
  std::string_view create(std::uint64_t number);
  std::string_view post(std::string_view headers, std::string_view body);
  std::string read_request(std::uint64_t number) const;
  std::string signed_headers(std::string_view verb, std::string_view resource_link) const;

  HttpTarget target_;
  Operation operation_;
  std::string collection_link_;
  std::string key_;  // the decoded bytes
  std::vector<Prepared> reads_;
  Prepared signed_post_;
  const RequestFile* posts_;
  std::string post_headers_;
  std::string buffer_;
};

}  // namespace partita::bench
