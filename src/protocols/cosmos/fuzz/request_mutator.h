#pragma once

#include "base/encodings.h"
#include "protocols/cosmos/fuzz/request_headers.h"
#include "protocols/cosmos/fuzz/request_text.h"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace partita::cosmos::fuzz {

// Texts at which readers of numbers, keys, tokens and names go wrong, if they do.
inline constexpr std::array<std::string_view, 52> kTexts = {"",
                                                            "0",
                                                            "-0",
                                                            "-1",
                                                            "1",
                                                            "2147483647",
                                                            "2147483648",
                                                            "4294967295",
                                                            "9007199254740993",
                                                            "9223372036854775807",
                                                            "9223372036854775808",
                                                            "-9223372036854775808",
                                                            "18446744073709551615",
                                                            "18446744073709551616",
                                                            "1e308",
                                                            "1e999",
                                                            "-1e999",
                                                            "1e-999",
                                                            "0.1",
                                                            "null",
                                                            "true",
                                                            "[]",
                                                            "{}",
                                                            "\"\"",
                                                            "[null]",
                                                            "[{}]",
                                                            "[[]]",
                                                            "\"\\ud800\"",
                                                            "\"\\u0000\"",
                                                            "\"\xFF\"",
                                                            "\xFF\xFE",
                                                            "\xED\xA0\x80",
                                                            "%",
                                                            "%00",
                                                            "%2F",
                                                            "%FF",
                                                            "..",
                                                            "*",
                                                            "\"*\"",
                                                            "FF",
                                                            "FFFF",
                                                            "05C1",
                                                            "True",
                                                            "AAAAAA==",
                                                            "Tue, 14 Nov 9999 22:13:20 GMT",
                                                            "[\"k1\",1,true]",
                                                            "localhost:8081",
                                                            "[::1]:1",
                                                            "example.org",
                                                            "http://localhost",
                                                            "cross-site",
                                                            "navigate"};

inline constexpr std::array<std::string_view, 8> kMethods = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "MERGE"};

// RequestMutator: changes requests where they mean something: values inside of tokens, bodies, keys and names.
//
// `seeds` are whole requests to start from, `tokens` what an account has given to clients.
class RequestMutator {
 public:
  RequestMutator(const std::vector<std::string>& seeds, const std::vector<std::string>& tokens, unsigned seed)
      : seeds_(seeds), tokens_(tokens), random_(seed) {}

  void mutate(std::vector<RequestText>& requests) {
    if (requests.empty() || one_in(12)) requests = {parse_request(pick_seed())};
    for (size_t i = below(4) + 1; i > 0; --i) change(requests);
  }

 private:
  size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool one_in(size_t chances) { return below(chances) == 0; }
  template <typename List>
  auto pick(List& list) -> decltype(list[0]) {
    return list[below(list.size())];
  }

  // Those with a continuation twice as often as others.
  const std::string& pick_seed() {
    const std::string& seed = pick(seeds_);
    return seed.find("x-ms-continuation") != std::string::npos ? seed : pick(seeds_);
  }

  void change(std::vector<RequestText>& requests) {
    RequestText& request = pick(requests);
    switch (below(16)) {
      case 0:
        if (requests.size() < 4) requests.push_back(parse_request(pick_seed()));
        return;
      case 1:
        if (requests.size() > 1) requests.erase(requests.begin() + static_cast<ptrdiff_t>(below(requests.size())));
        return;
      case 2: request.method = pick(kMethods); return;
      case 3: return add_header(request);
      case 4:
        if (!request.headers.empty())
          request.headers.erase(request.headers.begin() + static_cast<ptrdiff_t>(below(request.headers.size())));
        return;
      case 5:
      case 6:
      case 7:
      case 8: return change_header(request);
      case 9: return change_target(request);
      case 10: request.target = parse_request(pick(seeds_)).target; return;
      case 11: request.body = parse_request(pick(seeds_)).body; return;
      case 12: request.body = raw(request.body); return;
      default: request.body = changed_json(request.body); return;
    }
  }

  void add_header(RequestText& request) {
    request.headers.emplace_back(pick(kHeaderNames), one_in(3) ? pick(tokens_) : std::string(pick(kTexts)));
  }

  // What an account has given is sent back in these.
  static bool has_token(const std::string& name) {
    return name == "x-ms-continuation" || name == "if-none-match" || name == "x-ms-session-token" ||
           name == "x-ms-documentdb-partitionkey" || name == "x-ms-start-epk" || name == "x-ms-end-epk";
  }

  // Of those that are there, mostly tokens; the signature seldom, because nothing behind it is reached then.
  void change_header(RequestText& request) {
    if (request.headers.empty()) return add_header(request);
    size_t chosen = below(request.headers.size());
    for (int tries = 0; tries < 4 && !has_token(request.headers[chosen].first); ++tries) chosen = below(request.headers.size());
    auto& [name, value] = request.headers[chosen];
    if (name == "authorization" && !one_in(8)) return;
    value = changed_text(value);
    std::erase_if(value, [](char c) { return c == '\n' || c == '\r'; });
  }

  void change_target(RequestText& request) {
    std::string& target = request.target;
    std::vector<size_t> slashes;
    for (size_t i = 0; i < target.size(); ++i) {
      if (target[i] == '/') slashes.push_back(i);
    }
    if (slashes.empty() || one_in(8)) {
      target = "/" + changed_text(target);
    } else {
      const size_t begin = pick(slashes) + 1;
      const size_t end = std::min(target.find('/', begin), target.size());
      target.replace(begin, end - begin, changed_text(target.substr(begin, end - begin)));
    }
    std::erase_if(target, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
  }

  // A text of the wire: a name, a number, a list, JSON, hexadecimal or base64.
  std::string changed_text(const std::string& text) {
    if ((text.starts_with('{') || text.starts_with('[') || text.starts_with('"')) && !one_in(6)) return changed_json(text);
    switch (below(10)) {
      case 0: return std::string(pick(kTexts));
      case 1: return pick(tokens_);
      case 2: return text.substr(0, below(text.size() + 1));
      case 3: return text + text;
      case 4: return text + std::string(pick(kTexts));
      case 5: return with_byte(text, static_cast<char>(0x80 + below(0x80)));
      case 6: return with_byte(text, pick(kPunctuation));
      case 7: return changed_base64(text);
      case 8: return changed_digit(text);
      default: return raw(text);
    }
  }

  std::string with_byte(std::string text, char byte) {
    text.insert(below(text.size() + 1), 1, byte);
    return text;
  }

  // Base64 is changed in the bytes that it stands for.
  std::string changed_base64(const std::string& text) {
    std::optional<std::string> bytes = from_base64(text);
    if (!bytes || bytes->empty()) return with_byte(text, 'A');
    if (one_in(4)) bytes->resize(below(bytes->size() + 1));
    if (!bytes->empty()) pick(*bytes) = one_in(2) ? '\xFF' : static_cast<char>(random_());
    return base64(*bytes);
  }

  std::string changed_digit(std::string text) {
    const size_t at = text.find_first_of("0123456789ABCDEF", below(text.size() + 1));
    if (at == std::string::npos) return text + "9";
    text[at] = "0189AF-"[below(7)];
    return text;
  }

  std::string raw(std::string text) {
    const size_t size = text.size();
    text.resize(size + 64);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(text.data()), size, text.size()));
    return text;
  }

  struct Span {
    size_t begin;
    size_t end;
  };

  static size_t end_of_string(std::string_view text, size_t begin) {
    size_t at = begin + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at + 1, text.size());
  }

  // The values and keys of a JSON text, arrays and objects with what is in them.
  static std::vector<Span> spans_of(std::string_view text) {
    std::vector<Span> spans;
    std::vector<size_t> open;
    for (size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == '{' || c == '[') {
        open.push_back(at++);
      } else if (c == '}' || c == ']') {
        ++at;
        if (open.empty()) continue;
        spans.push_back({open.back(), at});
        open.pop_back();
      } else if (c == ',' || c == ':' || c == ' ') {
        ++at;
      } else {
        const size_t end = c == '"' ? end_of_string(text, at) : std::min(text.find_first_of(",:]} ", at), text.size());
        spans.push_back({at, std::max(end, at + 1)});
        at = spans.back().end;
      }
    }
    return spans;
  }

  std::string changed_json(std::string text) {
    const std::vector<Span> spans = spans_of(text);
    if (spans.empty()) return text + std::string(pick(kTexts));
    const size_t chosen = below(spans.size());
    const Span span = spans[chosen];
    const std::string value = text.substr(span.begin, span.end - span.begin);
    // A member's value and that of the next one, such as the ends of a range.
    if (chosen + 2 < spans.size() && one_in(4)) return with_swapped(text, span, spans[chosen + 2]);
    if (one_in(8)) return with_swapped(text, span, pick(spans));
    if (text.compare(span.end, 1, ":") == 0 && one_in(2)) return with_repeated(text, span);
    return text.replace(span.begin, value.size(), changed_value(text, value));
  }

  // Another member of this name, in front of the one that is there.
  std::string with_repeated(std::string text, Span name) {
    const std::string repeated = text.substr(name.begin, name.end - name.begin) + ":" + std::string(pick(kTexts)) + ",";
    return text.insert(name.begin, repeated);
  }

  // Two values change places, unless one is a part of the other.
  static std::string with_swapped(std::string text, Span left, Span right) {
    if (right.begin < left.begin) std::swap(left, right);
    if (right.begin < left.end) return text;
    const std::string first = text.substr(left.begin, left.end - left.begin);
    const std::string second = text.substr(right.begin, right.end - right.begin);
    text.replace(right.begin, second.size(), first);
    return text.replace(left.begin, first.size(), second);
  }

  std::string changed_value(const std::string& whole, const std::string& value) {
    const bool is_string = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
    switch (below(9)) {
      case 0: return std::string(pick(kTexts));
      case 1: {
        const size_t depth = below(200);
        return std::string(depth, '[') + value + std::string(depth, ']');
      }
      case 2: return "";
      case 3: return value + "," + value;
      case 4: {
        const Span other = pick_span(whole);
        return whole.substr(other.begin, other.end - other.begin);
      }
      case 5: return "{\"id\":" + value + ",\"id\":" + value + "}";
      default: break;
    }
    if (!is_string) return changed_digit(value);
    return "\"" + changed_text(value.substr(1, value.size() - 2)) + "\"";
  }

  Span pick_span(std::string_view whole) {
    const std::vector<Span> spans = spans_of(whole);
    return pick(spans);
  }

  static constexpr std::array kPunctuation = {'"', '\\', ',', ':', '/', '#', '%', '{', '[', '\t', ' ', '-', '+', '*', '\'', '('};

  const std::vector<std::string>& seeds_;
  const std::vector<std::string>& tokens_;
  std::minstd_rand random_;
};

}  // namespace partita::cosmos::fuzz
