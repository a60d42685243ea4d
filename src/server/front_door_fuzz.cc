#include "protocols/cosmos/fuzz/fuzz_session.h"
#include "server/fuzzed_server.h"

// Whole requests, from the bytes on a connection to the server's answer: what it answers itself, and what it hands to the
// account.
namespace {

struct Server : partita::server::FuzzedServer {
  Server() : FuzzedServer(SCRIPT_HOST) {}
};
using Session = partita::cosmos::fuzz::FuzzSession<Server>;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { return Session::instance().run(data, size); }

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return Session::instance().mutate(data, size, max_size, seed);
}
