#include "client/response.h"

#include "client/header_names.h"

#include <algorithm>
#include <charconv>

namespace partita::client {
namespace {

constexpr size_t kUsualHeaders = 32;
constexpr size_t kUsualHeaderBytes = 1024;

template <typename Number>
Number number_in(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string_view Response::header_name(size_t index) const {
  return std::string_view(header_text_).substr(headers_[index].start, headers_[index].name_bytes);
}

std::string_view Response::header_value(size_t index) const {
  const Field& field = headers_[index];
  return std::string_view(header_text_).substr(field.start + field.name_bytes, field.value_bytes);
}

std::string_view Response::header(std::string_view name) const {
  for (size_t index = 0; index < headers_.size(); ++index) {
    if (header_name(index) == name) return header_value(index);
  }
  return {};
}

int Response::sub_status() const { return number_in<int>(header(header::kSubStatus)); }
double Response::charge() const { return number_in<double>(header(header::kRequestCharge)); }
std::string_view Response::session_token() const { return header(header::kSessionToken); }
std::string_view Response::etag() const { return header(header::kEtag); }
std::string_view Response::activity_id() const { return header(header::kActivityId); }
std::string_view Response::continuation() const { return header(header::kContinuation); }
int64_t Response::retry_after_ms() const {
  return std::clamp<int64_t>(number_in<int64_t>(header(header::kRetryAfter)), 0, kRetryAfterMsMax);
}

void Response::add_header(std::string_view name, std::string_view value) {
  if (headers_.empty()) {
    headers_.reserve(kUsualHeaders);
    header_text_.reserve(kUsualHeaderBytes);
  }
  headers_.push_back({.start = static_cast<uint32_t>(header_text_.size()),
                      .name_bytes = static_cast<uint32_t>(name.size()),
                      .value_bytes = static_cast<uint32_t>(value.size())});
  std::ranges::transform(name, std::back_inserter(header_text_), lower);
  header_text_.append(value);
}

void Response::clear() { *this = Response(); }

}  // namespace partita::client
