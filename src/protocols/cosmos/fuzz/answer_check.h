#pragma once

#include "base/check.h"
#include "document/json/utf8.h"
#include "protocols/cosmos/in_process_account.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

// What every answer must be, whatever the request was.
namespace partita::cosmos::fuzz {

// JsonCheck: whether a text is one JSON value, nested as deep as it likes: feeds nest deeper than what they list. It may end a
// line.
class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  bool passes() {
    std::string open;
    while (true) {
      if (!take_value_or_opening(open)) return false;
      while (true) {
        if (open.empty()) return text_.substr(at_).empty() || text_.substr(at_) == "\n";
        const char closing = open.back();
        if (take(',')) {
          if (closing == '}' && !take_key()) return false;
          break;
        }
        if (!take(closing)) return false;
        open.pop_back();
      }
    }
  }

 private:
  bool take(char wanted) {
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  // Goes into arrays and objects up to the first value that is neither, or an empty one.
  bool take_value_or_opening(std::string& open) {
    while (true) {
      if (take('[')) {
        open += ']';
        if (text_.substr(at_).starts_with(']')) return take_closing(open);
      } else if (take('{')) {
        open += '}';
        if (text_.substr(at_).starts_with('}')) return take_closing(open);
        if (!take_key()) return false;
      } else {
        return take_string() || take("true") || take("false") || take("null") || take_number();
      }
    }
  }
  bool take_closing(std::string& open) {
    open.pop_back();
    ++at_;
    return true;
  }
  bool take_key() { return take_string() && take(':'); }

  bool take_string() {
    if (!take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) return false;
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    return at_ < text_.size() && take('"');
  }
  bool take_number() {
    const size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const bool is_some = end > at_ && text_.substr(at_, end - at_).find_first_of("0123456789") != std::string_view::npos;
    at_ = end;
    return is_some;
  }

  std::string_view text_;
  size_t at_ = 0;
};

// Those of the wire. A request alone is no reason for 500, nor for 503 where only one is served at a time.
inline bool is_status_of_wire(int status) {
  constexpr std::array kKnown = {200, 201, 202, 204, 206, 207, 304, 400, 401, 403, 404,
                                 405, 408, 409, 410, 412, 413, 415, 416, 424, 429, 449};
  return std::ranges::find(kKnown, status) != kKnown.end();
}

inline void check_headers(std::string_view block) {
  while (!block.empty()) {
    const size_t end = block.find("\r\n");
    CHECK_MESSAGE(end != std::string_view::npos, block);
    const std::string_view line = block.substr(0, end);
    CHECK_MESSAGE(line.find(": ") != std::string_view::npos, line);
    CHECK_MESSAGE(std::ranges::all_of(line, [](char c) { return c >= ' ' && c < 0x7F; }), line);
    block.remove_prefix(end + 2);
  }
}

inline void check_answer(const InProcessAccount::Answer& answer) {
  CHECK_MESSAGE(is_status_of_wire(answer.status), std::to_string(answer.status) + ": " + answer.body);
  check_headers(answer.header_block);
  const std::string charge = answer.header("x-ms-request-charge");
  if (!charge.empty()) CHECK_MESSAGE(std::strtod(charge.c_str(), nullptr) >= 0, charge);
  if (answer.body.empty() || answer.header("content-type") != "application/json") return;
  const bool is_record_stream = answer.body.starts_with('\x81');  // to a batch that came as one
  if (is_record_stream) return;
  CHECK_MESSAGE(well_formed_utf8_bytes(answer.body, Surrogates::kRejected) == answer.body.size(), answer.body);
  CHECK_MESSAGE(JsonCheck(answer.body).passes(), answer.body);
}

}  // namespace partita::cosmos::fuzz
