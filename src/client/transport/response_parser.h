#pragma once

#include "client/response.h"

#include <boost/beast/http/basic_parser.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace partita::client {

// ResponseParser: reads an answer into a Response, with one memory block for all headers. Not thread-safe.
class ResponseParser final : public boost::beast::http::basic_parser<false> {
 public:
  explicit ResponseParser(size_t body_bytes_max) {
    body_limit(body_bytes_max);
    header_limit(kHeaderBytesMax);
    eager(true);
  }

  Response take() { return std::move(response_); }

 private:
  using ErrorCode = boost::beast::error_code;
  using Text = boost::beast::string_view;
  // Continuations and session tokens of many partitions are long.
  static constexpr uint32_t kHeaderBytesMax = 256 << 10;
  // So much is reserved on an announcement alone; more when it comes.
  static constexpr uint64_t kReservedBytesMax = 1 << 20;

  static std::string_view view(Text text) { return {text.data(), text.size()}; }

  void on_request_impl(boost::beast::http::verb, Text, Text, int, ErrorCode&) override {}
  void on_response_impl(int status, Text, int, ErrorCode&) override { response_.set_status(status); }
  void on_field_impl(boost::beast::http::field, Text name, Text value, ErrorCode&) override {
    response_.add_header(view(name), view(value));
  }
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode&) override {
    if (length) response_.reserve_body(static_cast<size_t>(std::min<uint64_t>(*length, kReservedBytesMax)));
  }
  std::size_t on_body_impl(Text body, ErrorCode&) override {
    response_.append_body(view(body));
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, ErrorCode&) override {
    response_.append_body(view(body));
    return body.size();
  }
  void on_finish_impl(ErrorCode&) override {}

  Response response_;
};

}  // namespace partita::client
