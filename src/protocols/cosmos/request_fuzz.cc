#include "protocols/cosmos/fuzz/fuzz_session.h"
#include "protocols/cosmos/fuzz/fuzzed_account.h"

// Whole requests, from the bytes on a connection to the account's answer.
using namespace partita::cosmos::fuzz;

namespace {

struct Account : FuzzedAccount {
  Account() : FuzzedAccount(SCRIPT_HOST) {}
};
using Session = FuzzSession<Account>;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { return Session::instance().run(data, size); }

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return Session::instance().mutate(data, size, max_size, seed);
}
