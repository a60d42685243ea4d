#include "protocols/cosmos/authorization_matrix/headers.h"
#include "protocols/cosmos/direct/request_tokens.h"
#include "protocols/cosmos/direct/response_tokens.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// The tables of tokens against those of the wire's description.
namespace partita::cosmos::direct {
namespace {

struct Described {
  uint16_t id = 0;
  std::string name;
  std::string type;
  std::string header;  // "-": none
};

std::vector<Described> described(const std::string& side) {
  std::vector<Described> rows;
  std::ifstream file(TEST_DATA_DIR "/direct_tokens.txt");
  EXPECT_TRUE(file);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string of_side;
    std::string id;
    Described row;
    if (words >> of_side >> id >> row.name >> row.type >> row.header && of_side == side) {
      row.id = static_cast<uint16_t>(std::stoi(id, nullptr, 16));
      rows.push_back(row);
    }
  }
  return rows;
}

std::string type_text(TokenType type) {
  switch (type) {
    case TokenType::kByte: return "B";
    case TokenType::kUnsigned16: return "u16";
    case TokenType::kUnsigned32: return "u32";
    case TokenType::kSigned32: return "i32";
    case TokenType::kSigned64: return "i64";
    case TokenType::kGuid: return "guid";
    case TokenType::kSmallString: return "s8";
    case TokenType::kString: return "s16";
    case TokenType::kBytes: return "b16";
    case TokenType::kDouble: return "d";
    default: return "?";
  }
}

bool is_known_header(std::string_view name) {
  for (const auto& [known, values] : matrix::kHeaderValues) {
    if (net::equal_without_case(known, name)) return true;
  }
  return false;
}

}  // namespace

TEST(RequestTokens, AreThoseOfTheWire) {
  const std::vector<Described> rows = described("request");
  ASSERT_GT(rows.size(), 100u);
  for (const Described& row : rows) {
    const RequestToken* token = find_request_token(row.id);
    ASSERT_NE(token, nullptr) << row.name;
    EXPECT_EQ(token->name, row.name);
    EXPECT_EQ(type_text(token->type), row.type) << row.name;
    const bool has_header_form = token->form == RequestForm::kText || token->form == RequestForm::kFlag ||
                                 token->form == RequestForm::kNumber || token->form == RequestForm::kCount ||
                                 token->form == RequestForm::kChoice;
    if (has_header_form) EXPECT_TRUE(net::equal_without_case(token->header, row.header)) << row.name << " " << token->header;
  }
  EXPECT_EQ(request_tokens().size(), rows.size());
}

// A header that the server begins to read must not stay ignored here.
TEST(RequestTokens, SayEveryHeaderThatIsRead) {
  for (const Described& row : described("request")) {
    if (!is_known_header(row.header) || row.header == "x-ms-read-key-type") continue;  // which is not read: matrix/headers.h
    EXPECT_NE(find_request_token(row.id)->form, RequestForm::kIgnored) << row.name;
  }
}

TEST(RequestTokens, OfOtherNumbersAreUnknown) {
  for (const int id : {0x0021, 0x0037, 0x0079, 0x0102, 0x7FFF, 0xFFFF}) {
    EXPECT_EQ(find_request_token(static_cast<uint16_t>(id)), nullptr) << id;
  }
}

TEST(RequestTokens, ChooseTextsByNumber) {
  const auto text = [](uint16_t id, int64_t number) { return choice_text(*find_request_token(id), number); };
  const std::vector<std::string_view> levels = {"Strong", "BoundedStaleness", "Session", "Eventual", "ConsistentPrefix", ""};
  for (size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(text(0x0010, static_cast<int64_t>(i)), levels[i]);
  EXPECT_EQ(text(0x0007, 2), "Exclude");
  EXPECT_EQ(text(0x0007, 0xFF), "");
  EXPECT_EQ(text(0x0082, 1), "return=minimal");
  EXPECT_EQ(text(0x00BF, 2), "Low");
  EXPECT_EQ(text(0x00BF, -1), "");
}

TEST(ResponseTokens, AreThoseOfTheWire) {
  std::map<uint16_t, Described> by_id;
  for (const Described& row : described("response")) by_id[row.id] = row;
  for (const ResponseToken& token : response_tokens()) {
    ASSERT_TRUE(by_id.contains(token.id)) << token.name;
    const Described& row = by_id[token.id];
    EXPECT_EQ(token.name, row.name);
    EXPECT_EQ(type_text(token.type), row.type) << token.name;
    if (token.header.empty()) continue;
    EXPECT_EQ(token.header, row.header) << token.name;
    EXPECT_EQ(find_response_token(token.header), &token);
  }
}

TEST(ResponseTokens, AreNoneForOtherHeaders) {
  for (const char* name : {"", "x", "content-type", "x-ms-activity-id", "LSN", "x-ms-request-chargf"}) {
    EXPECT_EQ(find_response_token(name), nullptr) << name;
  }
  EXPECT_EQ(find_response_token(std::string(300, 'x')), nullptr);
}

}  // namespace partita::cosmos::direct
