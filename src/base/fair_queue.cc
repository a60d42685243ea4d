#include "base/fair_queue.h"

#include <algorithm>
#include <string_view>

namespace partita {
namespace {

// When to come back, for those who find a queue full.
constexpr int64_t kRetryAfterMs = 500;
// So many databases, and containers of each, are remembered that have nothing to do and were served ahead of the others.
constexpr size_t kIdleKept = 1024;

std::unexpected<Error> too_much(ErrorCode code, std::string message) {
  return fail(code, std::move(message), ErrorDetail::kRetryAfter, kRetryAfterMs);
}

}  // namespace

Status FairQueue::check_room(const Tenant& tenant) const {
  if (fresh_ >= limits_.waiting_max) {
    return too_much(ErrorCode::kUnavailable, "The server has too many requests waiting already; try again in a moment.");
  }
  const auto database = databases_.find(tenant.database);
  if (database == databases_.end()) return {};
  if (database->second.fresh >= limits_.waiting_per_database_max) {
    return too_much(ErrorCode::kThrottled, "The database has too many requests waiting already; try again in a moment.");
  }
  const auto line = database->second.lines.find(tenant.container);
  if (line == database->second.lines.end() || line->second.fresh.size() < limits_.waiting_per_container_max) return {};
  return too_much(ErrorCode::kThrottled, "The container has too many requests waiting already; try again in a moment.");
}

Result<FairQueue::Ticket> FairQueue::push(const Tenant& tenant) {
  TRY(check_room(tenant));
  return add(tenant, ++arrivals_);
}

FairQueue::Ticket FairQueue::push_continued(const Tenant& tenant) { return add(tenant, ++continued_); }

FairQueue::Ticket FairQueue::add(const Tenant& tenant, Ticket ticket) {
  Database& database = databases_[tenant.database];
  Line& line = database.lines[tenant.container];
  unlist(tenant, database, line);
  if (database.waiting.empty() && !line.is_waiting()) database.virtual_us = std::max(database.virtual_us, virtual_now_us_);
  if (!line.is_waiting()) line.virtual_us = std::max(line.virtual_us, database.virtual_now_us);
  line.fresh.insert(ticket);
  ++database.fresh;
  ++fresh_;
  list(tenant, database, line);
  return ticket;
}

void FairQueue::remove(const Tenant& tenant, Ticket ticket) {
  Database& database = databases_.at(tenant.database);
  Line& line = database.lines.at(tenant.container);
  unlist(tenant, database, line);
  line.fresh.erase(ticket);
  --database.fresh;
  --fresh_;
  list(tenant, database, line);
  forget_if_idle(tenant);
}

std::optional<FairQueue::Ticket> FairQueue::pop(int64_t expected_us) {
  if (running_ >= limits_.slots) return std::nullopt;
  for (const auto& [virtual_us, number] : waiting_) {
    if (auto ticket = pop_from(number, databases_.at(number), expected_us)) return ticket;
  }
  return std::nullopt;
}

std::optional<FairQueue::Ticket> FairQueue::pop_from(uint64_t number, Database& database, int64_t expected_us) {
  if (limits_.slots - running_ <= database.running) return std::nullopt;
  for (const auto& [virtual_us, container] : database.waiting) {
    Line& line = database.lines.at(container);
    const bool has_fresh = !line.fresh.empty() && may_begin(database, line);
    const bool has_parked = !line.parked.empty();
    if (!may_run(database, line) || (!has_fresh && !has_parked)) continue;
    const bool is_parked = has_parked && (!has_fresh || line.parked.front().order < *line.fresh.begin());
    return take({number, container}, database, line, is_parked, expected_us);
  }
  return std::nullopt;
}

bool FairQueue::may_run(const Database& database, const Line& line) const {
  const size_t most = limits_.slots_per_container_max;
  if (line.running >= most || database.running >= 2 * most) return false;
  return limits_.slots - running_ > database.running + line.running;
}

bool FairQueue::may_begin(const Database& database, const Line& line) const {
  return limits_.places - begun_ > database.begun + line.begun;
}

FairQueue::Ticket FairQueue::take(const Tenant& tenant, Database& database, Line& line, bool is_parked, int64_t expected_us) {
  unlist(tenant, database, line);
  virtual_now_us_ = std::max(virtual_now_us_, database.virtual_us);
  database.virtual_now_us = std::max(database.virtual_now_us, line.virtual_us);
  Ticket ticket = 0;
  if (is_parked) {
    ticket = line.parked.front().ticket;
    line.parked.pop_front();
  } else {
    ticket = *line.fresh.begin();
    line.fresh.erase(line.fresh.begin());
    --database.fresh;
    --fresh_;
    for (size_t* count : {&line.begun, &database.begun, &begun_}) ++*count;
  }
  for (size_t* count : {&line.running, &database.running, &running_}) ++*count;
  for (int64_t* time : {&line.virtual_us, &database.virtual_us}) *time += expected_us;
  list(tenant, database, line);
  return ticket;
}

void FairQueue::charge(const Tenant& tenant, int64_t us) {
  Database& database = databases_.at(tenant.database);
  Line& line = database.lines.at(tenant.container);
  unlist(tenant, database, line);
  for (int64_t* time : {&line.virtual_us, &database.virtual_us}) *time += us;
  list(tenant, database, line);
}

void FairQueue::leave_slot(const Tenant& tenant) {
  Database& database = databases_.at(tenant.database);
  Line& line = database.lines.at(tenant.container);
  for (size_t* count : {&line.running, &database.running, &running_}) --*count;
}

void FairQueue::leave_place(const Tenant& tenant) {
  Database& database = databases_.at(tenant.database);
  Line& line = database.lines.at(tenant.container);
  for (size_t* count : {&line.begun, &database.begun, &begun_}) --*count;
  forget_if_idle(tenant);
}

// Who comes back after a while has saved nothing meanwhile, like who comes anew.
void FairQueue::wait_for_slot(const Tenant& tenant, Ticket ticket) {
  Database& database = databases_.at(tenant.database);
  Line& line = database.lines.at(tenant.container);
  unlist(tenant, database, line);
  if (database.running == 0 && database.waiting.empty() && !line.is_waiting()) {
    database.virtual_us = std::max(database.virtual_us, virtual_now_us_);
  }
  if (line.running == 0 && !line.is_waiting()) line.virtual_us = std::max(line.virtual_us, database.virtual_now_us);
  line.parked.push_back({++arrivals_, ticket});
  list(tenant, database, line);
}

void FairQueue::park(const Tenant& tenant, Ticket ticket) {
  wait_for_slot(tenant, ticket);
  leave_slot(tenant);
}

void FairQueue::set_aside(const Tenant& tenant) {
  leave_slot(tenant);
  ++aside_;
}

void FairQueue::come_back(const Tenant& tenant, Ticket ticket) {
  --aside_;
  wait_for_slot(tenant, ticket);
}

void FairQueue::end(const Tenant& tenant) {
  leave_slot(tenant);
  leave_place(tenant);
}

void FairQueue::end_aside(const Tenant& tenant) {
  --aside_;
  leave_place(tenant);
}

std::optional<FairQueue::Ticket> FairQueue::begin_spare(const Tenant& tenant, int64_t expected_us) {
  if (fresh_ + parked() > 0 || running_ + spare_ >= limits_.processors) return std::nullopt;
  Database& database = databases_[tenant.database];
  Line& line = database.lines[tenant.container];
  const size_t is_free = limits_.processors - running_ - spare_;
  const bool is_alone = database.running + database.spare == running_ + spare_;
  if (!is_alone && is_free <= database.spare) {
    forget_if_idle(tenant);
    return std::nullopt;
  }
  for (size_t* count : {&line.spare, &database.spare, &spare_}) ++*count;
  charge(tenant, expected_us);
  return ++arrivals_;
}

void FairQueue::end_spare(const Tenant& tenant) {
  Database& database = databases_.at(tenant.database);
  Line& line = database.lines.at(tenant.container);
  for (size_t* count : {&line.spare, &database.spare, &spare_}) --*count;
  forget_if_idle(tenant);
}

void FairQueue::unlist(const Tenant& tenant, Database& database, Line& line) {
  if (!database.waiting.empty()) waiting_.erase({database.virtual_us, tenant.database});
  if (line.is_waiting()) database.waiting.erase({line.virtual_us, tenant.container});
}

void FairQueue::list(const Tenant& tenant, Database& database, Line& line) {
  if (line.is_waiting()) database.waiting.emplace(line.virtual_us, tenant.container);
  if (!database.waiting.empty()) waiting_.emplace(database.virtual_us, tenant.database);
}

// Who was served ahead of the others stays known, so that leaving for a moment is worth nothing.
void FairQueue::forget_if_idle(const Tenant& tenant) {
  if (is_empty()) {
    databases_.clear();
    virtual_now_us_ = 0;
    return;
  }
  Database& database = databases_.at(tenant.database);
  const Line& line = database.lines.at(tenant.container);
  const bool is_line_idle = !line.is_waiting() && line.begun + line.spare == 0;
  const bool is_line_ahead = line.virtual_us > database.virtual_now_us && database.lines.size() <= kIdleKept;
  if (is_line_idle && !is_line_ahead) database.lines.erase(tenant.container);
  const bool is_idle = database.waiting.empty() && database.begun + database.spare == 0;
  const bool is_ahead = database.virtual_us > virtual_now_us_ && databases_.size() <= kIdleKept;
  if (is_idle && !is_ahead) databases_.erase(tenant.database);
}

std::vector<FairQueue::TenantCounts> FairQueue::busiest(size_t tenants_max) const {
  std::vector<TenantCounts> counts;
  for (const auto& [number, database] : databases_) {
    for (const auto& [container, line] : database.lines) {
      const size_t waiting = line.fresh.size() + line.parked.size();
      if (waiting + line.running > 0) counts.push_back({{number, container}, waiting, line.running});
    }
  }
  const auto work = [](const TenantCounts& tenant) { return tenant.waiting + tenant.running; };
  std::ranges::sort(counts, std::greater(), work);
  counts.resize(std::min(counts.size(), tenants_max));
  return counts;
}

}  // namespace partita
