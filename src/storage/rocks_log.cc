#include "storage/rocks_log.h"

#include <array>
#include <cstdio>

namespace partita::rocks {
namespace {

class StandardErrorLog : public rocksdb::Logger {
 public:
  StandardErrorLog() : rocksdb::Logger(rocksdb::InfoLogLevel::ERROR_LEVEL) {}

  using rocksdb::Logger::Logv;
  // A longer message is cut; one call writes the line, so that lines of several threads do not mix.
  void Logv(const char* format, va_list arguments) override {
    constexpr size_t kLineBytesMax = 1000;
    std::array<char, kLineBytesMax> message;
    std::vsnprintf(message.data(), message.size(), format, arguments);
    (void)std::fprintf(stderr, "rocksdb: %s\n", message.data());
  }
};

}  // namespace

std::shared_ptr<rocksdb::Logger> log_to_standard_error() { return std::make_shared<StandardErrorLog>(); }

}  // namespace partita::rocks
