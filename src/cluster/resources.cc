#include "cluster/resources.h"

#include "base/check.h"
#include "base/encodings.h"
#include "engine/item/resource_rid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace partita {
namespace {

struct NamedLevel {
  std::string_view name;
  int64_t units_per_second;
};
constexpr std::array<NamedLevel, 4> kLevels = {{{"", 0}, {"S1", 250}, {"S2", 1000}, {"S3", 2500}}};  // by PerformanceLevel

}  // namespace

std::string_view name_of(PerformanceLevel level) { return kLevels[static_cast<size_t>(level)].name; }

int64_t units_per_second(PerformanceLevel level) { return kLevels[static_cast<size_t>(level)].units_per_second; }

Result<PerformanceLevel> performance_level(std::string_view name) {
  const auto found = std::ranges::find(kLevels, name, &NamedLevel::name);
  if (found == kLevels.end() || name.empty()) {
    return fail(ErrorCode::kInvalidInput, fmt::format("'{}' is not a performance level: these are S1, S2 and S3.", name));
  }
  return static_cast<PerformanceLevel>(found - kLevels.begin());
}

std::string printable_id(std::string_view id) {
  std::string out;
  for (const char& c : id) {
    const bool is_plain = c >= ' ' && c < 0x7F && c != '%';
    out += is_plain ? std::string(1, c) : percent_encode(std::string_view(&c, 1));
  }
  return out;
}

std::string Database::rid() const { return rid_text(database_rid_bytes(number)); }
std::string Database::self_link() const { return fmt::format("dbs/{}/", rid()); }

std::string ContainerIdentity::document_rid(DocumentNumber number) const {
  return partita::rid_text(document_rid_bytes(rid_bytes, number));
}

std::string PartitionPlace::name_in(const Container& container) const {
  return fmt::format("{}/pkranges/{}", container.name_link, range_id);
}

void ContainerLineage::set_newest(const std::shared_ptr<const Container>& container) {
  std::lock_guard lock(mutex_);
  newest_ = container;
}

std::shared_ptr<const Container> ContainerLineage::newest() const {
  std::lock_guard lock(mutex_);
  return newest_.lock();
}

const PartitionPlace& Container::place_of(std::string_view effective_key) const {
  // The first place that ends behind the key.
  const auto place = std::ranges::upper_bound(
      places, effective_key, {}, [](const PartitionPlace& candidate) { return std::string_view(candidate.range().max); });
  CHECK(place != places.end() && place->range().contains(effective_key));
  return *place;
}

const PartitionPlace* Container::find_place(std::string_view range_id) const {
  const auto place = std::ranges::find(places, range_id, &PartitionPlace::range_id);
  return place == places.end() ? nullptr : &*place;
}

const FormerRange* Container::find_former(std::string_view range_id) const {
  const auto found = std::ranges::find(former, range_id, &FormerRange::range_id);
  return found == former.end() ? nullptr : &*found;
}

size_t Container::memory_bytes() const {
  const size_t texts = definition.properties.size() + definition.indexing->definition().bytes().size();
  return kContainerMemoryBytes + kDefinitionCopies * texts + places.size() * kPartitionMemoryBytes;
}

}  // namespace partita
