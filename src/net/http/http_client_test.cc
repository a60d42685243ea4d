#include "net/http/http_client.h"

#include "net/test_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace partita::net {

TEST(HttpClient, SendsARequestAndGetsTheWholeAnswer) {
  TestServer test;
  const std::string endpoint = fmt::format("http://127.0.0.1:{}/", test.port());
  const Result<HttpAnswer> answer =
      send_request(endpoint, {.method = "POST", .path = "/a?b=c", .headers = {{"x-y", "z"}}, .body = "body"});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "POST /a?b=c plain body");
}

TEST(HttpClient, SaysWhyItGotNoAnswer) {
  EXPECT_EQ(send_request("http://127.0.0.1:1/", {.path = "/"}).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(send_request("ftp://localhost/", {.path = "/"}).error().code, ErrorCode::kInvalidInput);
}

}  // namespace partita::net
