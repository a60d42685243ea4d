#include "storage/rocks_log.h"

#include <array>
#include <cstdio>

namespace partita::rocks {
namespace {

class EventLogger : public rocksdb::Logger {
 public:
  explicit EventLogger(EventSink* events) : rocksdb::Logger(rocksdb::InfoLogLevel::ERROR_LEVEL), events_(events) {}

  using rocksdb::Logger::Logv;
  // A longer message is cut.
  void Logv(const char* format, va_list arguments) override {
    if (events_ == nullptr) return;
    constexpr size_t kLineBytesMax = 1000;
    std::array<char, kLineBytesMax> message;
    std::vsnprintf(message.data(), message.size(), format, arguments);
    events_->report({.severity = EventSeverity::kError, .room = "storage", .kind = "rocksdb", .what = message.data()});
  }

 private:
  EventSink* const events_;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> log_to(EventSink* events) { return std::make_shared<EventLogger>(events); }

}  // namespace partita::rocks
