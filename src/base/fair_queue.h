#pragma once

#include "base/result.h"
#include "base/turn.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace partita {

// FairQueue: whose work comes next. Not thread-safe; knows neither threads nor clocks.
//
// Start-time fair queueing, twice: every database has a virtual time, which is the time that it was served; the one that was
// served least comes next, and in it likewise the container. Who had nothing to do meanwhile saves nothing for later. In a
// container it goes by the order of arrival; work that gave way arrives anew.
//
// Work that has begun needs a place until it ends, and while it runs, a slot. Of both, who has some already leaves as many free
// as he has (those of his database and of his container together): so whoever has none finds one at once, unless there are very
// many others, and a single tenant gets about a third of all. A container runs at most so many at once as it may, and its
// database twice as many.
//
// Spare work fills processors that nobody else wants. It never waits and is in nobody's way: it needs no slot, it begins only
// while nothing waits and something is left of the processors, and there is too much of it as soon as work in slots comes. Where
// others run too, a database leaves as many processors free as it has spare work. Its time counts like that of any other work.
class FairQueue {
 public:
  using Ticket = uint64_t;

  struct Limits {
    size_t slots = 1;
    size_t places = 1;      // at least as many
    size_t processors = 0;  // that spare work may fill, together with the work in slots
    size_t slots_per_container_max = SIZE_MAX / 2;
    // Work that waits and has not begun.
    size_t waiting_max = 1;
    size_t waiting_per_database_max = 1;
    size_t waiting_per_container_max = 1;
  };

  struct TenantCounts {
    Tenant tenant;
    size_t waiting = 0;  // gave way, or has not begun
    size_t running = 0;
  };

  explicit FairQueue(const Limits& limits) : limits_(limits) {}

  // kThrottled when the tenant has too much waiting, kUnavailable when all together have; both say when to come back.
  Result<Ticket> push(const Tenant& tenant);
  // What is part of work that was let in already comes first in its container, however much waits.
  Ticket push_continued(const Tenant& tenant);
  // Gives up what has not begun.
  void remove(const Tenant& tenant, Ticket ticket);

  // What may run now: it begins, unless it has, and has a slot. It is taken to run for `expected_us`.
  std::optional<Ticket> pop(int64_t expected_us);
  // Time that the tenant used beyond what was expected; negative when it was less.
  void charge(const Tenant& tenant, int64_t us);
  // Work that runs gives its slot back and waits for its next turn.
  void park(const Tenant& tenant, Ticket ticket);
  // Work that runs gives its slot back and wants no other until it comes back: then it waits for its next turn.
  void set_aside(const Tenant& tenant);
  void come_back(const Tenant& tenant, Ticket ticket);
  // Work that runs has ended; or work that is aside.
  void end(const Tenant& tenant);
  void end_aside(const Tenant& tenant);

  // Spare work begins, if it may; it is taken to run for `expected_us`.
  std::optional<Ticket> begin_spare(const Tenant& tenant, int64_t expected_us);
  void end_spare(const Tenant& tenant);
  // So much of it should end.
  size_t spare_too_much() const { return running_ + spare_ <= limits_.processors ? 0 : running_ + spare_ - limits_.processors; }

  size_t waiting() const { return fresh_; }  // has not begun
  size_t parked() const { return begun_ - running_ - aside_; }
  size_t aside() const { return aside_; }
  size_t running() const { return running_; }
  size_t spare() const { return spare_; }
  bool is_empty() const { return fresh_ + begun_ + spare_ == 0; }
  // Of those who have the most work, at most so many.
  std::vector<TenantCounts> busiest(size_t tenants_max) const;

 private:
  struct Parked {
    uint64_t order;
    Ticket ticket;
  };
  struct Line {  // of a container
    int64_t virtual_us = 0;
    size_t running = 0;
    size_t begun = 0;
    size_t spare = 0;
    std::set<Ticket> fresh;     // tickets are in the order of arrival
    std::deque<Parked> parked;  // so are these
    bool is_waiting() const { return !fresh.empty() || !parked.empty(); }
  };
  struct Database {
    int64_t virtual_us = 0;
    int64_t virtual_now_us = 0;  // when the container that came last began
    size_t running = 0;
    size_t begun = 0;
    size_t spare = 0;
    size_t fresh = 0;
    std::map<uint64_t, Line> lines;
    std::set<std::pair<int64_t, uint64_t>> waiting;  // lines by virtual time
  };

  static constexpr uint64_t kFirstArrival = uint64_t{1} << 62;

  Ticket add(const Tenant& tenant, Ticket ticket);
  void wait_for_slot(const Tenant& tenant, Ticket ticket);
  void leave_slot(const Tenant& tenant);
  void leave_place(const Tenant& tenant);
  Status check_room(const Tenant& tenant) const;
  // Out of the sets and into them again, around every change.
  void unlist(const Tenant& tenant, Database& database, Line& line);
  void list(const Tenant& tenant, Database& database, Line& line);
  std::optional<Ticket> pop_from(uint64_t number, Database& database, int64_t expected_us);
  bool may_run(const Database& database, const Line& line) const;
  bool may_begin(const Database& database, const Line& line) const;
  Ticket take(const Tenant& tenant, Database& database, Line& line, bool is_parked, int64_t expected_us);
  void forget_if_idle(const Tenant& tenant);

  const Limits limits_;
  std::map<uint64_t, Database> databases_;
  std::set<std::pair<int64_t, uint64_t>> waiting_;  // databases by virtual time
  int64_t virtual_now_us_ = 0;
  uint64_t arrivals_ = kFirstArrival;
  uint64_t continued_ = 0;  // they have smaller tickets than all arrivals
  size_t fresh_ = 0;
  size_t begun_ = 0;
  size_t running_ = 0;
  size_t aside_ = 0;
  size_t spare_ = 0;
};

}  // namespace partita
