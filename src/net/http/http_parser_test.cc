#include "net/http/http_parser.h"

#include "net/http/parser_transcript.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace partita::net {
namespace {

HttpLimits small_limits() {
  HttpLimits limits;
  limits.request_line_bytes_max = 64;
  limits.header_bytes_max = 256;
  limits.header_count_max = 4;
  limits.body_bytes_max = 32;
  return limits;
}

// Delivers the input whole, cut in two at every place, and byte by byte: all must give the same.
std::string parse(const std::string& text, const HttpLimits& limits = {}) {
  std::string_view input = text;
  std::string whole = parser_transcript({input}, limits);
  for (size_t cut = 0; cut <= input.size(); ++cut) {
    EXPECT_EQ(parser_transcript({input.substr(0, cut), input.substr(cut)}, limits), whole) << "cut at " << cut;
  }
  std::vector<std::string_view> bytes;
  for (size_t at = 0; at < input.size(); ++at) bytes.push_back(input.substr(at, 1));
  EXPECT_EQ(parser_transcript(bytes, limits), whole);
  return whole;
}

std::string with_headers(const std::string& headers) { return "POST / HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n"; }

std::string chunked(const std::string& body) { return with_headers("Transfer-Encoding: chunked\r\n") + body; }

TEST(HttpParser, ReadsARequest) {
  EXPECT_EQ(parse("GET /dbs/a%20b?x=1&y=?2 HTTP/1.1\r\nHost: localhost:8081\r\nEmpty:\r\nX-Padded: \t a b \t\r\n\r\n"),
            "GET /dbs/a%20b ? x=1&y=?2 ; keep\n  Host=localhost:8081\n  Empty=\n  X-Padded=a b\n  []\nend\n");
}

TEST(HttpParser, ReadsBodiesByLength) {
  EXPECT_EQ(parse("PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"),
            "PUT /a ?  ; keep\n  Host=h\n  Content-Length=5\n  [hello]\nend\n");
  EXPECT_THAT(parse(with_headers("Content-Length: 5\r\n") + "hell"), testing::StrEq("incomplete\n"));
}

TEST(HttpParser, ReadsPipelinedRequestsInOrder) {
  EXPECT_EQ(parse("POST /1 HTTP/1.1\r\nHost: h\r\ncontent-length: 2\r\n\r\nabGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3"),
            "POST /1 ?  ; keep\n  Host=h\n  content-length=2\n  [ab]\nGET /2 ?  ; keep\n  Host=h\n  []\nincomplete\n");
}

TEST(HttpParser, DecodesChunkedBodiesAndDropsTrailers) {
  EXPECT_THAT(parse(chunked("3\r\nabc\r\nA;name=\"value\"\r\n0123456789\r\n000\r\nTrailer: x\r\n\r\n") +
                    "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"),
              testing::HasSubstr("[abc0123456789]\nGET /2 ?"));
  EXPECT_THAT(parse(chunked("0\r\n\r\n")), testing::HasSubstr("[]\nend"));
}

TEST(HttpParser, KeepsConnectionsAsTheirVersionSays) {
  auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  EXPECT_EQ(first_line(parse("GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n")), "GET / ?  ; close");
  EXPECT_EQ(first_line(parse("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, close\r\n\r\n")), "GET / ?  ; close");
  EXPECT_EQ(first_line(parse("GET / HTTP/1.0\r\n\r\n")), "GET / ?  ; close");
  EXPECT_EQ(first_line(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")), "GET / ?  ; keep");
  EXPECT_EQ(first_line(parse("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n")), "GET / ?  ; close");
}

TEST(HttpParser, StripsTheAuthorityOfAbsoluteTargets) {
  auto target = [](const std::string& text) { return parse("GET " + text + " HTTP/1.1\r\nHost: h\r\n\r\n"); };
  EXPECT_THAT(target("http://host:8081/a/b?c"), testing::StartsWith("GET /a/b ? c ;"));
  EXPECT_THAT(target("HTTPS://host"), testing::StartsWith("GET / ?  ;"));
  EXPECT_THAT(target("http://host?c"), testing::StartsWith("GET / ? c ;"));
  EXPECT_THAT(target("http:///a"), testing::StartsWith("refused 400: the URL in the request target names no host"));
  EXPECT_THAT(target("a/b"), testing::StartsWith("refused 400: the request target must start with a slash"));
  EXPECT_THAT(target("*"), testing::StartsWith("refused 400"));
  EXPECT_THAT(target(""), testing::StartsWith("refused 400: the request target is empty"));
  EXPECT_THAT(target(std::string("/a\0b", 4)),
              testing::StartsWith("refused 400: the request target contains a control character"));
  EXPECT_THAT(parse("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"), testing::StartsWith("OPTIONS * ?"));
}

TEST(HttpParser, RefusesBadRequestLines) {
  EXPECT_THAT(parse("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
              testing::StartsWith("refused 400: a request must start with a method"));
  EXPECT_THAT(parse("GE(T / HTTP/1.1\r\nHost: h\r\n\r\n"), testing::StartsWith("refused 400: the request method is not a token"));
  EXPECT_THAT(parse("GET\r\n\r\n"), testing::StartsWith("refused 400: the request line must be"));
  EXPECT_THAT(parse("GET /\r\n\r\n"), testing::StartsWith("refused 400: the request line must be"));
  EXPECT_THAT(parse("GET  / HTTP/1.1\r\nHost: h\r\n\r\n"), testing::StartsWith("refused 400"));
  EXPECT_THAT(parse("GET / HTTP/1.1 \r\nHost: h\r\n\r\n"),
              testing::StartsWith("refused 400: the request line does not end with"));
  EXPECT_THAT(parse("GET / http/1.1\r\nHost: h\r\n\r\n"), testing::StartsWith("refused 400: the request line does not end with"));
  EXPECT_THAT(parse("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), testing::StartsWith("refused 505"));
  EXPECT_THAT(parse("GET / HTTP/1.1\nHost: h\n\n"),
              testing::StartsWith("refused 400: a line of the request's head ends with LF"));
  EXPECT_THAT(parse("GET /\rx HTTP/1.1\r\nHost: h\r\n\r\n"), testing::StartsWith("refused 400"));
}

TEST(HttpParser, RefusesBadHeaders) {
  EXPECT_THAT(parse(with_headers("A: b\r\n folded\r\n")),
              testing::StartsWith("refused 400: a header line starts with white space"));
  EXPECT_THAT(parse(with_headers("Name : b\r\n")), testing::StartsWith("refused 400: white space before the colon"));
  EXPECT_THAT(parse(with_headers(": b\r\n")), testing::StartsWith("refused 400: a header has an empty name"));
  EXPECT_THAT(parse(with_headers("nothing\r\n")), testing::StartsWith("refused 400: a header line has no colon"));
  EXPECT_THAT(parse(with_headers("A(b): c\r\n")), testing::StartsWith("refused 400: a header's name contains"));
  EXPECT_THAT(parse(with_headers(std::string("A: b\0c\r\n", 8))),
              testing::StartsWith("refused 400: a header's value contains a control character"));
  EXPECT_THAT(parse(with_headers("A: b\rc\r\n")),
              testing::StartsWith("refused 400: a header's value contains a control character"));
  EXPECT_THAT(parse(with_headers("A: b\x7f\r\n")),
              testing::StartsWith("refused 400: a header's value contains a control character"));
  EXPECT_THAT(parse(with_headers("A: b\n")), testing::StartsWith("refused 400: a line of the request's head ends with LF"));
  EXPECT_THAT(parse(with_headers("Host: i\r\n")), testing::StartsWith("refused 400: the Host header appears more than once"));
  EXPECT_THAT(parse("GET / HTTP/1.1\r\n\r\n"), testing::StartsWith("refused 400: the Host header is missing"));
  for (const char* host : {"a b", "a/b", "a@b", "\xE4", "a\"b", "a<b", "a?b", "a#b", "a\\b"})
    EXPECT_THAT(parse(fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host)),
                testing::StartsWith("refused 400: the Host header is not a host name"))
        << host;
  for (const char* host : {"", "localhost:8081", "[::1]:8081", "[fe80::1%25eth0]", "my_machine.example.", "10.0.0.1"})
    EXPECT_THAT(parse(fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host)), testing::StartsWith("GET / ?")) << host;
  EXPECT_THAT(parse(with_headers("Expect: wonders\r\n")), testing::StartsWith("refused 417"));
}

TEST(HttpParser, RefusesWhatTwoPartiesCouldReadDifferently) {
  EXPECT_THAT(parse(with_headers("Content-Length: 3\r\nContent-Length: 3\r\n")),
              testing::StartsWith("refused 400: Content-Length appears more"));
  EXPECT_THAT(parse(with_headers("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n")),
              testing::StartsWith("refused 400: Content-Length and"));
  for (const char* length : {"", "+3", "-3", "3, 3", "0x3", "3 3", "3a", "\xb2"})
    EXPECT_THAT(parse(with_headers(std::string("Content-Length: ") + length + "\r\n")),
                testing::StartsWith("refused 400: Content-Length is not"));
  EXPECT_THAT(parse(with_headers("Content-Length: 99999999999999999999999\r\n")), testing::StartsWith("refused 413"));
  EXPECT_THAT(parse(with_headers("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")),
              testing::StartsWith("refused 400"));
  EXPECT_THAT(parse(with_headers("Transfer-Encoding: gzip, chunked\r\n")), testing::StartsWith("refused 501"));
  EXPECT_THAT(parse(with_headers("Transfer-Encoding: \x0b"
                                 "chunked\r\n")),
              testing::StartsWith("refused 400"));
  EXPECT_THAT(parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
              testing::StartsWith("refused 400: Transfer-Encoding needs"));
}

TEST(HttpParser, RefusesBadChunks) {
  for (const char* body : {"x\r\n", "\r\n", "-1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "1000000000000000\r\n", "1;a\rb\r\n"})
    EXPECT_THAT(parse(chunked(body)), testing::StartsWith("refused 400: the size of a chunk")) << body;
  EXPECT_THAT(parse(chunked("1\na\r\n0\r\n\r\n")), testing::StartsWith("refused 400: the size line of a chunk ends with LF"));
  EXPECT_THAT(parse(chunked("1\r\nab\r\n")), testing::StartsWith("refused 400: a chunk is longer"));
  EXPECT_THAT(parse(chunked("1\r\na\n\n")), testing::StartsWith("refused 400: a chunk is longer"));
  EXPECT_THAT(parse(chunked("0\r\nbad trailer\r\n\r\n")), testing::StartsWith("refused 400: a header line has no colon"));
  EXPECT_THAT(parse(chunked("0\r\nA: b\n\r\n")), testing::StartsWith("refused 400: a trailer line ends with LF"));
  EXPECT_THAT(parse(chunked("1;" + std::string(1100, 'x'))),
              testing::StartsWith("refused 400: the size line of a chunk is too long"));
}

TEST(HttpParser, EnforcesLimits) {
  HttpLimits limits = small_limits();
  EXPECT_THAT(parse("GET /" + std::string(64, 'x'), limits),
              testing::StartsWith("refused 414: the request line is longer than 64 bytes"));
  EXPECT_THAT(parse(with_headers("A: " + std::string(256, 'x')), limits),
              testing::StartsWith("refused 431: the request's headers are larger than 256"));
  EXPECT_THAT(parse(with_headers("A: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n"), limits),
              testing::StartsWith("refused 431: the request has more than 4"));
  EXPECT_THAT(parse(with_headers("A: 1\r\nB: 1\r\nC: 1\r\n"), limits), testing::HasSubstr("C=1"));
  EXPECT_THAT(parse(with_headers("Content-Length: 33\r\n"), limits),
              testing::StartsWith("refused 413: the body is larger than 32 bytes"));
  EXPECT_THAT(parse(with_headers("Content-Length: 32\r\n") + std::string(32, 'x'), limits), testing::HasSubstr("end"));
  EXPECT_THAT(parse(chunked("10\r\n0123456789abcdef\r\n11\r\n"), limits), testing::StartsWith("refused 413"));
}

TEST(HttpParser, AcceptsAHeadOfExactlyTheLimit) {
  HttpLimits limits = small_limits();
  std::string head = with_headers("");
  std::string padding(limits.header_bytes_max - head.size() - 5, 'x');
  EXPECT_THAT(parse(with_headers("A: " + padding + "\r\n"), limits), testing::HasSubstr("end"));
  EXPECT_THAT(parse(with_headers("A: " + padding + "x\r\n"), limits), testing::StartsWith("refused 431"));
}

TEST(HttpParser, LimitsTrailers) {
  std::string trailers;
  for (int i = 0; i < 300; ++i) trailers += "Trailer: 012345678901234567890\r\n";
  EXPECT_THAT(parser_transcript({chunked("0\r\n" + trailers + "\r\n")}, {}), testing::StartsWith("refused 431: the trailers"));
}

TEST(HttpParser, AsksForPermissionOnceWhenTheBodyHasNotBegun) {
  HttpParser parser({});
  InputBuffer input;
  input.append(with_headers("Expect: 100-continue\r\nContent-Length: 2\r\n"));
  EXPECT_EQ(parser.advance(input), HttpParser::Progress::kNeedContinue);
  EXPECT_EQ(parser.advance(input), HttpParser::Progress::kNeedMore);
  input.append("ab");
  EXPECT_EQ(parser.advance(input), HttpParser::Progress::kComplete);
  EXPECT_EQ(parser.request().body, "ab");
}

TEST(HttpParser, ABodyThatHasBegunNeedsNoPermission) {
  HttpParser parser({});
  InputBuffer input;
  input.append(with_headers("Expect: 100-continue\r\nContent-Length: 2\r\n") + "a");
  EXPECT_EQ(parser.advance(input), HttpParser::Progress::kNeedMore);
}

TEST(HttpParser, ViewsStayTrueWhenTheBufferMoves) {
  HttpParser parser({});
  InputBuffer input;
  std::string body(1'000'000, 'b');
  input.append(with_headers("Content-Length: 1000000\r\nX-Name: value\r\n"));
  EXPECT_EQ(parser.advance(input), HttpParser::Progress::kNeedMore);
  input.append(body);
  ASSERT_EQ(parser.advance(input), HttpParser::Progress::kComplete);
  EXPECT_EQ(parser.request().header("x-name"), "value");
  EXPECT_EQ(parser.request().method, "POST");
  EXPECT_EQ(parser.request().body, body);
}

TEST(HttpResponse, GivesItsMemoryBack) {
  HttpResponse response;
  response.body.assign(1'000'000, 'x');
  response.header("Name", std::string(1'000'000, 'x'));
  response.clear();
  EXPECT_GE(response.body.capacity(), 1'000'000U);  // for the next answer
  response.release();
  EXPECT_LT(response.body.capacity(), 100U);
  EXPECT_EQ(response.header_block(), "");
}

TEST(HttpResponse, NoHeaderCanSplitAResponse) {
  HttpResponse response;
  response.header("Name", "va\r\nSet-Cookie: x\r\n\r\nlue");
  EXPECT_EQ(response.header_block(), "Name: vaSet-Cookie: xlue\r\n");
}

}  // namespace
}  // namespace partita::net
