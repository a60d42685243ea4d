#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace partita::bench {

// kPost: what a line of a file says, by the number of the line.
enum class Operation { kRead, kCreate, kPost };

// Connection: one kept connection to a server, with at most one operation in flight.
//
// Operations are named by the number of their sample document, or of their line in a file of requests. Not thread safe.
class Connection {
 public:
  virtual ~Connection() = default;

  virtual int socket() const = 0;

  // Sends the operation on document `number`. Precondition: none is in flight.
  virtual void start(std::uint64_t number) = 0;

  // Takes what has arrived, without blocking. True when the answer is complete.
  virtual bool receive() = 0;

  // Of the last complete answer: empty when it was a success, otherwise what was wrong.
  virtual std::string_view failure() const = 0;

  // Of the last complete answer: the document as JSON text, or nothing when this kind of answer carries none.
  // Valid until the next `start`.
  virtual std::string_view document() const = 0;
};

}  // namespace partita::bench
