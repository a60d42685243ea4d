#pragma once

#include "protocols/cosmos/fuzz/answer_check.h"
#include "protocols/cosmos/fuzz/request_mutator.h"
#include "protocols/cosmos/fuzz/request_text.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// What fuzzers of whole requests have in common. Inputs are conversations (request_text.h) with an account that has something of
// everything; mutations change values inside of tokens, headers, names and bodies, and start from one request for every
// operation, whose tokens are those that the account really gave.
namespace partita::cosmos::fuzz {

// RequestHistory: the requests that an account has seen, in the file that PARTITA_FUZZ_HISTORY names. Nothing when nobody wants
// it. It is an input itself: what fails only after others can be found with it.
class RequestHistory {
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

// FuzzSession: an account that is kept from input to input, and made anew when it is worn.
template <typename Account>
class FuzzSession {
 public:
  // Only one; its account is taken down, with its directory, when the program ends.
  static FuzzSession& instance() {
    static auto* kept = new FuzzSession();
    static const int at_exit = std::atexit([] { instance().account_.reset(); });
    (void)at_exit;
    return *kept;
  }

  int run(const uint8_t* data, size_t size) {
    if (account_->is_worn()) {
      account_.reset();  // before the next one: it has a script host
      account_ = std::make_unique<Account>();
      history_.begin_anew();
    }
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    history_.add(text);
    for (const RequestText& request : parse_requests(text)) {
      const InProcessService::Answer answer = account_->send(request);
      if (answer.status != 0) check_answer(answer);
    }
    return 0;
  }

  size_t mutate(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    std::vector<RequestText> requests = parse_requests({reinterpret_cast<const char*>(data), size});
    RequestMutator(account_->seeds(), account_->tokens(), seed).mutate(requests);
    std::string text = print_requests(requests);
    if (text.size() > max_size) text.resize(max_size);
    std::memcpy(data, text.data(), text.size());
    return text.size();
  }

 private:
  FuzzSession() = default;

  std::unique_ptr<Account> account_ = std::make_unique<Account>();
  RequestHistory history_;
};

}  // namespace partita::cosmos::fuzz
