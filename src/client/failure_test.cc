#include "client/failure.h"

#include <gtest/gtest.h>

namespace partita::client {
namespace {

Response answer(int status, std::string_view body, std::string_view sub_status = "") {
  Response response;
  response.set_status(status);
  if (!sub_status.empty()) response.add_header("X-Ms-Substatus", sub_status);
  response.append_body(body);
  return response;
}

TEST(Failure, SaysWhereAQueryIsWrong) {
  const Failure failure =
      failure_of(answer(400, R"({"code":"BadRequest","message":"Message: {\"errors\":[{\"severity\":\"Error\",)"
                             R"(\"location\":{\"start\":9,\"end\":13},\"code\":\"SC1001\",)"
                             R"(\"message\":\"Syntax error, incorrect syntax near 'FORM'.\"}]}, x"})"));
  EXPECT_EQ(failure.code, ErrorCode::kInvalidQuery);
  EXPECT_EQ(failure.name, "BadRequest");
  EXPECT_EQ(failure.message, "Syntax error, incorrect syntax near 'FORM'.");
  ASSERT_EQ(failure.faults.size(), 1);
  EXPECT_EQ(failure.faults[0], (QueryFault{"SC1001", failure.message, 9, 13}));
}

TEST(Failure, TakesTheReasonOutOfWhatWrapsIt) {
  EXPECT_EQ(
      failure_of(
          answer(404, R"({"code":"NotFound","message":"Message: {\"Errors\":[\"Resource Not Found.\"]}\r\nActivityId: x"})"))
          .message,
      "Resource Not Found.");
  EXPECT_EQ(failure_of(answer(409, R"({"code":"Conflict","message":"there is one {already}"})")).message,
            "there is one {already}");
  EXPECT_EQ(failure_of(answer(502, "<html>")).message, "the server answered 502 <html>");
  EXPECT_EQ(failure_of(answer(500, R"({"message":7})")).message, R"(the server answered 500 {"message":7})");
}

TEST(Failure, TellsErrorsOfOneStatusApart) {
  EXPECT_EQ(failure_of(answer(410, "", "1002")).code, ErrorCode::kPartitionGone);
  EXPECT_EQ(failure_of(answer(410, "", "1007")).code, ErrorCode::kUnavailable);
  EXPECT_EQ(failure_of(answer(404, "", "1003")).code, ErrorCode::kOwnerNotFound);
  EXPECT_EQ(failure_of(answer(404, "")).code, ErrorCode::kNotFound);
  EXPECT_EQ(failure_of(answer(400, "", "1001")).code, ErrorCode::kPartitionKeyMismatch);
}

}  // namespace
}  // namespace partita::client
