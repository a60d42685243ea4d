#include "protocols/cosmos/service_fixture.h"

#include "base/encodings.h"
#include "base/golden_file.h"

#include <fmt/format.h>

#include <string>
#include <vector>

// Conversations with the service, in testdata.
namespace partita::cosmos {
namespace {

class GoldenServiceTest : public ServiceTest {
 protected:
  // `header name: value` lines and `METHOD path [body]`. `use permission's path` goes on with its token, `use key` with the key
  // again, `use token` with the last token.
  std::string run(const std::vector<std::string>& input) {
    std::string out;
    std::string token;
    bool has_token = false;
    Headers headers;
    for (const std::string& line : input) {
      if (line.starts_with("use ")) {
        has_token = line != "use key";
        if (has_token && line != "use token") token = token_of(line.substr(4));
        continue;
      }
      if (line.starts_with("header ")) {
        const size_t colon = line.find(": ");
        headers.emplace_back(line.substr(7, colon - 7), line.substr(colon + 2));
        continue;
      }
      const size_t path_at = line.find(' ') + 1;
      const size_t body_at = std::min(line.find(' ', path_at), line.size());
      const std::string body = body_at == line.size() ? "" : line.substr(body_at + 1);
      const std::string method = line.substr(0, path_at - 1);
      const std::string path = line.substr(path_at, body_at - path_at);
      Headers with_token = headers;
      with_token.emplace_back("authorization", percent_encode(token));
      const Answer answer = has_token ? send(method, path, with_token, body) : send_signed(method, path, headers, body);
      out += fmt::format("{}\n", answer.status);
      for (const char* name : {"x-ms-substatus", "etag", "x-ms-item-count", "x-ms-continuation", "x-ms-session-token"}) {
        if (answer.headers.contains(name)) out += fmt::format("{}: {}\n", name, answer.headers.at(name));
      }
      if (!answer.body.empty()) out += answer.body + "\n";
    }
    return out;
  }

  void run_file(const char* name) {
    run_golden_file(std::string(TEST_DATA_DIR) + name, [&](const std::vector<std::string>& input) { return run(input); });
  }
};

}  // namespace

TEST_F(GoldenServiceTest, AnswersAsClientsExpect) { run_file("/service.txt"); }
TEST_F(GoldenServiceTest, ServesScripts) { run_file("/scripts.txt"); }
TEST_F(GoldenServiceTest, PatchesDocuments) { run_file("/patch.txt"); }
TEST_F(GoldenServiceTest, RunsOperationsTogether) { run_file("/batch.txt"); }
TEST_F(GoldenServiceTest, KeepsAttachments) { run_file("/attachments.txt"); }
TEST_F(GoldenServiceTest, TellsWhatHasChanged) { run_file("/changes.txt"); }
TEST_F(GoldenServiceTest, LetsUsersDoWhatTheyMay) { run_file("/access.txt"); }

}  // namespace partita::cosmos
