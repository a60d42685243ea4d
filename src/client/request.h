#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace partita::client {

// A container by the names of its database and itself, as they are (not percent-encoded).
struct ContainerName {
  std::string database = {};
  std::string container = {};

  auto operator<=>(const ContainerName&) const = default;

  // dbs/<database>/colls/<container>: what signatures cover.
  std::string link() const;
  // The same for a request line, percent-encoded, with a slash before it.
  std::string path() const;
};

using Header = std::pair<std::string, std::string>;

// Request: one request to the service, in the words of its wire. The typed operations make these; whoever needs an operation
// that has no function can write one.
struct Request {
  std::string method = "GET";
  std::string path = "/";  // percent-encoded, with its query if any
  // What the signature covers: a kind such as "docs", and the link of the resource, or of its parent for a feed.
  std::string resource_type = {};
  std::string resource_link = {};
  std::vector<Header> headers = {};  // names in lower case
  std::string body = {};
  bool is_read = false;  // it changes nothing; a GET never does
  // Whether doing it twice is as good as doing it once, so that it may be sent again when nobody knows what became of it. A read
  // always is.
  bool is_repeatable = false;
  // Whose session tokens are kept, and sent with reads. Without one there is no session.
  std::optional<ContainerName> session = {};

  Request& with(std::string_view name, std::string value) & {
    headers.emplace_back(name, std::move(value));
    return *this;
  }
  Request with(std::string_view name, std::string value) && {
    headers.emplace_back(name, std::move(value));
    return std::move(*this);
  }
};

}  // namespace partita::client
