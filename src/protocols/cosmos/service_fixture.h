#pragma once

#include "cluster/test_account.h"
#include "protocols/cosmos/in_process_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace partita::cosmos {

// ServiceTest: an account without sockets, at a time that stands still. Requests in, answers out.
class ServiceTest : public testing::Test {
 protected:
  using Headers = InProcessService::Headers;

  static constexpr std::string_view kKey = InProcessService::kKey;
  static constexpr std::string_view kReadOnlyKey = InProcessService::kReadOnlyKey;
  static constexpr std::string_view kNow = InProcessService::kNow;

  struct Answer {
    int status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
  };

  static std::string signed_by(std::string_view key, std::string_view method, std::string_view path) {
    const std::string signature = InProcessService::signature(key, method, path);
    EXPECT_NE(signature, "") << path;
    return signature;
  }

  Answer send(std::string_view method, std::string_view path, Headers headers = {}, std::string_view body = {}) {
    headers.emplace_back("x-ms-activity-id", "activity");
    return send_as_is(method, path, headers, body);
  }
  Answer send_signed(std::string_view method, std::string_view path, Headers headers = {}, std::string_view body = {},
                     std::string_view key = kKey) {
    headers.emplace_back("authorization", signed_by(key, method, path));
    headers.emplace_back("x-ms-date", kNow);
    return send(method, path, std::move(headers), body);
  }
  Answer send_as_is(std::string_view method, std::string_view path, const Headers& headers, std::string_view body) {
    InProcessService::Answer answer = served_.send_as_is(method, path, headers, body);
    return {answer.status, parse(answer.header_block), std::move(answer.body)};
  }
  static std::map<std::string, std::string> parse(std::string_view block) {
    std::map<std::string, std::string> headers;
    while (!block.empty()) {
      const size_t end = block.find("\r\n");
      const std::string_view line = block.substr(0, end);
      std::string name(line.substr(0, line.find(':')));
      std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
      EXPECT_TRUE(headers.emplace(name, line.substr(line.find(':') + 2)).second) << "twice: " << line;
      block.remove_prefix(end + 2);
    }
    return headers;
  }

  // The token of a permission, read with the account's key.
  std::string token_of(const std::string& permission) {
    const Answer answer = send_signed("GET", permission);
    constexpr std::string_view kMember = R"("_token":")";
    const size_t begin = answer.body.find(kMember) + kMember.size();
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body.substr(begin, answer.body.find('"', begin) - begin);
  }

  TestAccount account_;
  InProcessService served_{{*account_.catalog, account_.etags, account_.random, account_.clock}, SCRIPT_HOST};
};

}  // namespace partita::cosmos
