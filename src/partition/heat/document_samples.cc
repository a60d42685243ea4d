#include "partition/heat/document_samples.h"

#include <algorithm>

namespace partita {
namespace {

// Spreads ordinals, so that a pattern in the requests never meets a pattern in the sampling.
uint64_t scrambled(uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace

DocumentSamples::~DocumentSamples() {
  for (Minute& slot : minutes_) give_back(slot);
}

bool DocumentSamples::has_memory(Minute& slot) {
  if (slot.kept.capacity() > 0) return true;
  if (memory_ != nullptr && !memory_->take(kMinuteBytes)) return false;
  slot.kept.reserve(kPerMinute);
  return true;
}

void DocumentSamples::give_back(Minute& slot) {
  if (slot.kept.capacity() == 0) return;
  std::vector<Request>().swap(slot.kept);
  if (memory_ != nullptr) memory_->give_back(kMinuteBytes);
}

void DocumentSamples::forget_before(int64_t minute) {
  for (Minute& slot : minutes_) {
    if (slot.number < minute) give_back(slot);
  }
}

bool DocumentSamples::wants_next() {
  if (!is_enabled()) return false;
  return scrambled(ordinal_.fetch_add(1, std::memory_order_relaxed)) % kSampling == 0;
}

void DocumentSamples::note(int64_t minute, Kind kind, std::span<const DocumentNumber> documents, double units) {
  if (documents.empty()) return;
  const auto kept = static_cast<uint8_t>(std::min(documents.size(), kDocumentsPerRequest));
  Request request{.kind = kind, .documents = kept, .minute = minute, .units = units};
  std::ranges::copy(documents.first(request.documents), request.numbers.begin());
  std::lock_guard lock(mutex_);
  Minute& slot = minutes_[static_cast<size_t>(minute) % kMinutes];
  if (slot.number > minute) return;
  if (slot.number < minute) {
    forget_before(minute - static_cast<int64_t>(kMinutes));
    slot.number = minute;
    slot.seen = 0;
    slot.units = 0;
    slot.kept.clear();
  }
  ++slot.seen;
  slot.units += units;
  if (!has_memory(slot)) return;
  if (slot.kept.size() < kPerMinute) {
    slot.kept.push_back(request);
    return;
  }
  const uint64_t place = scrambled(slot.seen ^ static_cast<uint64_t>(minute) << 32) % slot.seen;
  if (place < kPerMinute) slot.kept[place] = request;
}

std::vector<DocumentSamples::Request> DocumentSamples::requests(int64_t minute) const {
  std::vector<Request> requests;
  std::lock_guard lock(mutex_);
  for (int64_t at = std::max<int64_t>(0, minute - static_cast<int64_t>(kMinutes) + 1); at <= minute; ++at) {
    const Minute& slot = minutes_[static_cast<size_t>(at) % kMinutes];
    if (slot.number != at) continue;
    double kept = 0;
    for (const Request& request : slot.kept) kept += request.units;
    if (kept <= 0) continue;
    const double scale = slot.units * static_cast<double>(kSampling) / kept;
    for (Request request : slot.kept) {
      request.units *= scale;
      requests.push_back(request);
    }
  }
  return requests;
}

}  // namespace partita
