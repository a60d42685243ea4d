#pragma once

#include "net/http/http_parser.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace partita::net {

// Everything that HttpParser says about an input delivered in these pieces, as text; for tests and fuzzers.
inline std::string parser_transcript(const std::vector<std::string_view>& pieces, const HttpLimits& limits) {
  HttpParser parser(limits);
  InputBuffer input;
  std::string transcript;
  for (std::string_view piece : pieces) {
    input.append(piece);
    while (true) {
      HttpParser::Progress progress = parser.advance(input);
      if (progress == HttpParser::Progress::kFailed) {
        return transcript + fmt::format("refused {}: {}\n", parser.failure().status, parser.failure().message);
      }
      if (progress != HttpParser::Progress::kComplete) break;
      const HttpRequest& request = parser.request();
      transcript += fmt::format("{} {} ? {} ; {}\n", request.method, request.path, request.query,
                                parser.framing().keep_alive ? "keep" : "close");
      for (const HttpHeader& header : request.headers) transcript += fmt::format("  {}={}\n", header.name, header.value);
      transcript += fmt::format("  [{}]\n", request.body);
      parser.next(input);
    }
  }
  return transcript + (input.empty() ? "end\n" : "incomplete\n");
}

}  // namespace partita::net
