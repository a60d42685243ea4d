#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace partita {

enum class EventSeverity : uint8_t {
  kInfo,     // what an operator may want to know later
  kWarning,  // something did not work, and is tried again or did no harm
  kError,    // somebody should do something
};

// Event: something that happened while nobody waited for it, for whoever runs the server. Texts may contain anything: whoever
// shows them escapes them.
struct Event {
  EventSeverity severity = EventSeverity::kInfo;
  // Of these two there are few, and they are constants of the program: events are counted by them.
  std::string_view room;
  std::string_view kind;    // a short name, such as "torn-manifest"
  std::string what;         // a sentence without its full stop
  std::string where = {};   // a file, container or partition; empty when there is nothing to name
  std::string advice = {};  // what to do; empty when there is nothing to do
};

// EventSink: where rooms report events to. Passed to whoever may have some to report, and outlives it.
//
// report() is thread-safe, does not wait for a disk that the server stores documents on, and may be called with locks held: it
// takes none but its own.
class EventSink {
 public:
  virtual void report(const Event& event) = 0;

 protected:
  ~EventSink() = default;
};

}  // namespace partita
