#include "http_requests.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "fatal.h"
#include "sample_document.h"

namespace partita::bench {
namespace {

constexpr std::chrono::minutes kSignatureLife{5};  // servers allow fifteen

std::string decode_base64(std::string_view text) {
  std::string bytes(text.size(), '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (length < 0) fatal("the master key is not base64");
  const auto padding = static_cast<std::size_t>(std::ranges::count(text, '='));
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

std::string encode_base64(const unsigned char* bytes, std::size_t size) {
  std::string text(4 * ((size + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// The characters of "type=master&ver=1.0&sig=<base64>" that must be escaped in a header.
std::string url_encode(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-') {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string sign(std::string_view key, std::string_view payload) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(payload.data()),
       payload.size(), digest.data(), &size);
  return encode_base64(digest.data(), size);
}

}  // namespace

HttpRequests::HttpRequests(HttpTarget target, Operation operation, std::uint64_t documents, const RequestFile* posts,
                           std::string post_headers)
    : target_(std::move(target)),
      operation_(operation),
      collection_link_(fmt::format("dbs/{}/colls/{}", target_.database, target_.container)),
      key_(decode_base64(target_.master_key)),
      posts_(posts),
      post_headers_(std::move(post_headers)) {
  if (operation_ == Operation::kRead) {
    for (std::uint64_t number = 0; number < documents; ++number) {
      reads_.push_back({read_request(number), Clock::now()});
    }
  }
}

std::string_view HttpRequests::request(std::uint64_t number) {
  switch (operation_) {
    case Operation::kRead: return read(number);
    case Operation::kCreate: return create(number);
    case Operation::kPost: return post(post_headers_, posts_->line(number));
  }
  fatal("no such operation");
}

std::string_view HttpRequests::read(std::uint64_t number) {
  Prepared& prepared = reads_.at(number);
  if (Clock::now() - prepared.signed_at > kSignatureLife) prepared = {read_request(number), Clock::now()};
  return prepared.bytes;
}

std::string_view HttpRequests::create(std::uint64_t number) {
  const std::string headers =
      fmt::format("{}x-ms-documentdb-partitionkey: [\"{}\"]\r\ncontent-type: application/json\r\n",
                  target_.updates ? "x-ms-documentdb-is-upsert: True\r\n" : "", document_partition_key(number));
  return post(headers, sample_document(number));
}

std::string_view HttpRequests::post(std::string_view headers, std::string_view body) {
  if (signed_post_.bytes.empty() || Clock::now() - signed_post_.signed_at > kSignatureLife) {
    signed_post_ = {fmt::format("POST /{}/docs HTTP/1.1\r\n{}", collection_link_, signed_headers("post", collection_link_)),
                    Clock::now()};
  }
  buffer_ = fmt::format("{}{}content-length: {}\r\n\r\n{}", signed_post_.bytes, headers, body.size(), body);
  return buffer_;
}

std::string HttpRequests::read_request(std::uint64_t number) const {
  const std::string link = fmt::format("{}/docs/{}", collection_link_, document_id(number));
  return fmt::format("GET /{} HTTP/1.1\r\n{}x-ms-documentdb-partitionkey: [\"{}\"]\r\n\r\n", link, signed_headers("get", link),
                     document_partition_key(number));
}

std::string HttpRequests::signed_headers(std::string_view verb, std::string_view resource_link) const {
  const std::string date = fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr)));
  const std::string payload = fmt::format("{}\ndocs\n{}\n{}\n\n", verb, resource_link, lower(date));
  const std::string token = url_encode("type=master&ver=1.0&sig=" + sign(key_, payload));
  return fmt::format(
      "host: {}:{}\r\nauthorization: {}\r\nx-ms-date: {}\r\nx-ms-version: 2020-07-15\r\naccept: application/json\r\n"
      "cache-control: no-cache\r\nuser-agent: partita-load-generator\r\nconnection: keep-alive\r\n",
      target_.host, target_.port, token, date);
}

}  // namespace partita::bench
