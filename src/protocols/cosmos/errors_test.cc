#include "protocols/cosmos/errors.h"

#include "base/golden_file.h"
#include "document/json/json.h"
#include "engine/attachments.h"
#include "engine/time_to_live.h"
#include "gateway/items/location.h"
#include "partition/charge/throttling.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::cosmos {

// Every error of the database, in the order of its declaration, has a row; a new one makes this test fail until it has one too.
TEST(Errors, HaveTheirPlaceOnTheWire) {
  std::string table;
  for (int code = 0; name_of(static_cast<ErrorCode>(code)) != "Unknown"; ++code) {
    const WireError wire = wire_error(static_cast<ErrorCode>(code));
    table += fmt::format("{} {} {} {}\n", name_of(static_cast<ErrorCode>(code)), wire.status, wire.sub_status, wire.code);
  }
  run_golden_file(TEST_DATA_DIR "/errors.txt", [&](const std::vector<std::string>&) { return table; });
}

TEST(Errors, DetailsHaveSubStatuses) {
  const auto wire = [](const Error& error) {
    const WireError answer = wire_error(error);
    return fmt::format("{}/{}", answer.status, answer.sub_status);
  };
  EXPECT_EQ(wire({ErrorCode::kPreconditionFailed, ""}), "412/0");
  EXPECT_EQ(wire({ErrorCode::kPreconditionFailed, "", ErrorDetail::kPatchCondition}), "412/1110");
  EXPECT_EQ(wire({ErrorCode::kTooLarge, ""}), "413/0");
  EXPECT_EQ(wire({ErrorCode::kTooLarge, "", ErrorDetail::kAnswerTooLarge}), "413/3402");
  EXPECT_EQ(wire({ErrorCode::kInvalidInput, "", ErrorDetail::kNoFunction}), "400/65535");
  EXPECT_EQ(wire({ErrorCode::kInvalidInput, "", ErrorDetail::kThrown, 409}), "400/409");
  EXPECT_EQ(wire({ErrorCode::kThrottled, "", ErrorDetail::kRetryAfter, 5}), "429/3200");
}

TEST(Errors, BodiesAreJsonWhateverTheMessage) {
  std::string body;
  append_error_body(body, {ErrorCode::kInvalidInput, "a \"b\"\n\x01"}, "id");
  EXPECT_EQ(body, R"({"code":"BadRequest","message":"a \"b\"\n\u0001\r\nActivityId: id, Partita"})");
  body.clear();
  append_error_body(body, {ErrorCode::kInvalidInput, "a"}, "id", R"({"x":1})");
  EXPECT_EQ(body, R"({"code":"BadRequest","message":"a\r\nActivityId: id, Partita","additionalErrorInfo":"{\"x\":1}"})");
}

// The rooms below say what is wrong; where the service explains it is a matter of this wire.
TEST(Errors, SayWhereTheServiceExplainsThem) {
  EXPECT_EQ(wire_message(item_not_found().error()), "Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found");
  EXPECT_EQ(wire_message({ErrorCode::kNotFound, "There is no 'x'."}), "There is no 'x'.");
  EXPECT_EQ(wire_message({ErrorCode::kPartitionKeyMismatch, "x."}),
            "x. Learn more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value");
  EXPECT_EQ(wire_message(throttled(12'001).error()),
            "Request rate is large. More Request Units may be needed, so no changes were made. Please retry this request later. "
            "Learn more: http://aka.ms/cosmosdb-error-429 Retry after ms: 13");
  EXPECT_EQ(wire_message(too_many_waiting("Too many wait.", 1).error()), "Too many wait.");
}

// Clients look at these words.
TEST(Errors, AreWordedAsTheServiceDoes) {
  const auto words = [](ErrorCode code, ErrorDetail detail, std::string message = "x") {
    return service_message({code, std::move(message), detail});
  };
  EXPECT_EQ(words(ErrorCode::kAlreadyExists, ErrorDetail::kUniqueValues), "Unique index constraint violation.");
  EXPECT_EQ(words(ErrorCode::kAlreadyExists, ErrorDetail::kResourceExists), "Resource with specified id or name already exists.");
  EXPECT_EQ(words(ErrorCode::kInvalidInput, ErrorDetail::kFixedKey), "Document collection partition key cannot be changed.");
  EXPECT_EQ(service_message(item_already_exists().error()), "Entity with the specified id already exists in the system.");
  EXPECT_EQ(service_message(complete_key(std::nullopt, PartitionKeyDefinition{.paths = {{{"pk"}}}}).error()),
            "PartitionKey value must be supplied for this operation.");
  EXPECT_EQ(words(ErrorCode::kTooLarge, ErrorDetail::kRequestTooLarge, "The request is too large."),
            "Request size is too large.");
  EXPECT_EQ(service_message(check_media_size(kMediaBytesMax + 1).error()),
            fmt::format("Request size is too large: media has {} bytes, the limit is {}.", kMediaBytesMax + 1, kMediaBytesMax));
  EXPECT_EQ(words(ErrorCode::kTooLarge, ErrorDetail::kRequestTooLarge, ""), "Request size is too large");
  const PartitionKey too_long{{std::string("a"), std::string("b")}};
  EXPECT_EQ(
      service_message(complete_key(too_long, PartitionKeyDefinition{.paths = {{{"pk"}}}}).error()),
      "Partition key provided either doesn't correspond to definition in the collection or doesn't match partition key field "
      "values specified in the document. It has 2 components, the container's key has 1.");
  EXPECT_EQ(
      words(ErrorCode::kPartitionKeyMismatch, ErrorDetail::kOtherKey, "They differ. The document has [1.5], the header [2]."),
      "PartitionKey extracted from document doesn't match the one specified in the header. The document has [1.5], the header "
      "[2].");
  EXPECT_EQ(
      words(ErrorCode::kSessionNotAvailable, ErrorDetail::kBehindSession, "It is behind: it demands LSN 7, partition 0 is at 5."),
      "The read session is not available for the input session token: it demands LSN 7, partition 0 is at 5.");
  EXPECT_EQ(words(ErrorCode::kLogicalPartitionFull, ErrorDetail::kNone, "It is full: delete some."),
            "Partition key reached maximum size: delete some.");
}

TEST(Errors, QuoteATimeToLive) {
  const auto words = [](std::string_view document) {
    const std::string stored = stored_from_json(document).value();
    return service_message(check_time_to_live(Value::view(stored)).error());
  };
  EXPECT_EQ(
      words(R"({"ttl":1.5})"),
      "The input ttl '1.5' is invalid. Ensure to provide a nonzero positive integer, less than or equal to '2147483647', or -1 "
      "for never expire.");
  EXPECT_THAT(words(R"({"ttl":"a: b. c"})"), testing::StartsWith("The input ttl '\"a: b. c\"' is invalid. Ensure"));
}

TEST(Errors, BodiesAreShortUtf8) {
  std::string body;
  append_error_body(body, {ErrorCode::kInvalidInput, "'\xFF\xED"}, "id");
  EXPECT_EQ(body, "{\"code\":\"BadRequest\",\"message\":\"'\xEF\xBF\xBD\xEF\xBF\xBD\\r\\nActivityId: id, Partita\"}");
  body.clear();
  std::string_view wide = "\xC3\xA4";
  std::string message = "x";
  while (message.size() <= 2 * kErrorMessageBytesMax) message += wide;
  append_error_body(body, {ErrorCode::kInvalidInput, message}, "id");
  EXPECT_LT(body.size(), kErrorMessageBytesMax + 200);
  EXPECT_NE(body.find(wide.data() + std::string("... (16385 bytes in all)")), std::string::npos)
      << body.substr(body.size() - 200);
}

}  // namespace partita::cosmos
