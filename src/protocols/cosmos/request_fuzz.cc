#include "protocols/cosmos/fuzz/answer_check.h"
#include "protocols/cosmos/fuzz/fuzzed_account.h"
#include "protocols/cosmos/fuzz/request_mutator.h"
#include "protocols/cosmos/fuzz/request_text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Whole requests, from the bytes on a connection to the answer, against an account that has something of everything. Inputs are
// conversations (fuzz/request_text.h); the corpus begins with one request for every operation, whose tokens are those that the
// account really gave. Mutations change values inside of tokens, headers, names and bodies.
//
// The account is kept from input to input and made anew now and then. An input that fails only after others can be found with
// PARTITA_FUZZ_HISTORY=<file>: it has all requests since the account was made, and is an input itself.
using namespace partita;
using namespace partita::cosmos;
using namespace partita::cosmos::fuzz;

namespace {

// History: the requests that an account has seen, in a file. Nothing when nobody wants it.
class History {
 public:
  void begin_anew() {
    if (file_ != nullptr) file_ = std::freopen(path_, "w", file_);
  }
  void add(std::string_view text) {
    if (file_ == nullptr) return;
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fwrite(kSeparator.data(), 1, kSeparator.size(), file_);
    std::fflush(file_);
  }

 private:
  const char* path_ = std::getenv("PARTITA_FUZZ_HISTORY");
  std::FILE* file_ = path_ == nullptr ? nullptr : std::fopen(path_, "w");
};

std::unique_ptr<FuzzedAccount>& account() {
  static auto* kept = new std::unique_ptr<FuzzedAccount>(std::make_unique<FuzzedAccount>(SCRIPT_HOST));
  static const int at_exit = std::atexit([] { account().reset(); });  // with its directory
  (void)at_exit;
  return *kept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static History history;
  if (account()->is_worn()) {
    account().reset();  // before the next one: it has a script host
    account() = std::make_unique<FuzzedAccount>(SCRIPT_HOST);
    history.begin_anew();
  }
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  history.add(text);
  for (const RequestText& request : parse_requests(text)) {
    const InProcessAccount::Answer answer = account()->send(request);
    if (answer.status != 0) check_answer(answer);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::vector<RequestText> requests = parse_requests({reinterpret_cast<const char*>(data), size});
  RequestMutator(account()->seeds(), account()->tokens(), seed).mutate(requests);
  std::string text = print_requests(requests);
  if (text.size() > max_size) text.resize(max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
