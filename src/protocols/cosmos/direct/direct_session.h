#pragma once

#include "net/connection.h"
#include "net/short_timer.h"
#include "net/signal.h"
#include "net/task.h"
#include "net/wire.h"
#include "protocols/cosmos/direct/direct_request.h"
#include "protocols/cosmos/direct/direct_wire.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::cosmos::direct {

// DirectSession: frames of one client. One task receives requests and has them answered, another sends answers as they are ready,
// in any order.
//
// 1. While somebody works for a request, its Work stays where it is, and the session does not end.
// 2. What requests and answers hold beyond kHeldBytesMax is borrowed, each large one in the name of its own tenant. Nothing is
//    received from a client that has as many requests here, or as many bytes, as it may have.
// 3. The client library for Java (4.81 and before) mixes up answers that it reads at once: it looks at the first when the second
//    has been moved over it. It gets one answer at a time, each with a while to be read in.
// 4. The connection's loan is used by one large payload at a time, as it comes or as it goes (LoanTurn). In between it is the
//    Work's.
class DirectSession final : public net::Session {
 public:
  DirectSession(const DirectWire& wire, net::Connection& connection);
  ~DirectSession() override;

  net::Task<End> serve() override;
  void release_idle_memory() override;

 private:
  struct Work;
  class DoneSignal;
  class LoanTurn;
  // What becomes of a payload.
  enum class Receipt {
    kWhole,
    kRefused,    // the response says why, and the rest of it was skipped
    kUnskipped,  // the same, but it was not skipped: nothing else can be received
    kCut,        // the connection ends
  };

  net::InputBuffer& input() { return connection_.input(); }
  // The first frame. False: there is nothing to go on with.
  net::Task<bool> negotiate();
  // One frame, and whatever becomes of it. False: no other one can come.
  net::Task<bool> serve_frame();
  net::Task<bool> receive_large_head(Work& work, size_t bytes);
  // Once the request was admitted and there is memory for it.
  net::Task<Receipt> receive_large_payload(Work& work, size_t bytes);
  net::Task<Receipt> skip_payload(size_t bytes);
  // What came is no frame.
  bool end_malformed();

  void prepare(Work& work, size_t payload_bytes);
  void dispatch(Work& work);
  // On the loop's thread, when the answer is complete.
  void finish(Work& work);
  // Counts the answer until it is sent; replaces it when there is no memory for it, or leaves its payload out when the client
  // must learn of it.
  void hold_answer(Work& work);
  // Instead of what the answer was.
  void answer_busy(Work& work);
  net::Detached write_answers();
  // Until the client has had time to read the answer before.
  net::Task<bool> await_reader();
  net::Task<bool> send_large(Work& work, std::string_view payload);

  bool is_full() const;
  Work& take_work();
  void give_back(Work& work);
  void hold(Work& work, size_t bytes);

  const DirectWire& wire_;
  net::Connection& connection_;
  net::Signal has_output_;
  net::Signal is_drained_;
  net::Signal is_loan_free_;
  net::Signal is_writer_done_;
  std::string version_;                   // that the client speaks
  std::optional<net::ShortTimer> pause_;  // only where a client must have answers one by one
  std::string output_;
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<Work*> idle_works_;
  std::deque<Work*> answered_;
  size_t works_at_hand_ = 0;  // from the receipt of a request until its answer was sent
  size_t held_bytes_ = 0;     // of these, without what is borrowed
  std::chrono::steady_clock::time_point last_sent_;
  bool is_one_of_several_ = false;  // that which was sent last: the client waited for others, too
  bool is_sending_ = false;
  bool is_loan_used_ = false;
  bool is_ending_ = false;
  bool is_broken_ = false;  // nothing can be sent any more
  bool was_authorized_ = false;
};

}  // namespace partita::cosmos::direct
