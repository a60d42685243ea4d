#include "server/admin/statistics.h"

#include "base/encodings.h"
#include "document/json/json.h"
#include "engine/rows.h"

#include <algorithm>
#include <functional>

namespace partita::server {
namespace {

constexpr size_t kHotKeysShown = 10;
// Of a key value; more are not counted.
constexpr uint64_t kDocumentsCounted = 10'000;
// Of all key values in one answer, so that its cost does not grow with the number of partitions.
constexpr uint64_t kDocumentsCountedInAll = 200'000;
// Request units per second are averaged over this many seconds.
constexpr size_t kRecentSeconds = 10;

double units(uint64_t milli_units) { return static_cast<double>(milli_units) / 1000; }

class Members {
 public:
  explicit Members(StoredWriter& out) : out_(out) { out_.begin_object(); }
  ~Members() { out_.end_object(); }
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  void text(std::string_view name, std::string_view value) { at(name).string(value); }
  void number(std::string_view name, double value) { at(name).number(value); }
  void count(std::string_view name, uint64_t value) { at(name).integer(static_cast<int64_t>(value)); }
  StoredWriter& at(std::string_view name) {
    out_.key(name);
    return out_;
  }

 private:
  StoredWriter& out_;
};

// What is known of a key value by its hash.
struct KeyValue {
  std::optional<PartitionKey> key;  // nothing when no document has it any more
  uint64_t documents = 0;
  uint64_t bytes = 0;
};

KeyValue key_value_of(const Container& container, const PartitionClient& partition, std::string_view hash,
                      uint64_t documents_max) {
  const PartitionClient::KeyValueSample sample = partition.sample_of(hash, documents_max);
  KeyValue found{.key = {}, .documents = sample.documents, .bytes = sample.bytes};
  if (sample.item) found.key = PartitionKey::of(sample.item->document(), container.definition.partition_key);
  return found;
}

void write_tally(Members& members, const HeatTally& tally) {
  members.count("requests", tally.requests);
  members.count("throttled", tally.throttled);
  members.number("requestUnits", units(tally.milli_units));
  members.number("peakRequestUnitsPerSecond", units(tally.peak_milli_units));
}

void write_tallies(StoredWriter& out, const std::vector<HeatTally>& latest_first) {
  out.begin_array();
  for (const HeatTally& tally : latest_first) {
    Members members(out);
    write_tally(members, tally);
    members.count("latencyMedianUs", tally.latency_median_us);
    members.count("latency99Us", tally.latency_99_us);
  }
  out.end_array();
}

HeatTally recent(const Heat::Report& heat) {
  HeatTally sum;
  for (size_t i = 0; i < std::min(kRecentSeconds, heat.seconds.size()); ++i) sum += heat.seconds[i];
  return sum;
}

// What may still be counted for one answer.
struct Counting {
  bool is_wanted = false;
  uint64_t left = kDocumentsCountedInAll;

  uint64_t documents_max() const { return is_wanted ? std::clamp<uint64_t>(left, 1, kDocumentsCounted) : 1; }
  void take(uint64_t documents) { left -= std::min(left, documents); }
};

void write_hot_keys(StoredWriter& out, const Container& container, const PartitionClient& partition, const Heat::Report& heat,
                    Counting& counting) {
  const double units_per_second = units(recent(heat).milli_units) / kRecentSeconds;
  out.begin_array();
  for (size_t i = 0; i < std::min(heat.hot_keys.size(), kHotKeysShown); ++i) {
    const HotKeys::Entry& entry = heat.hot_keys[i];
    const uint64_t documents_max = counting.documents_max();
    const KeyValue value = key_value_of(container, partition, entry.key, documents_max);
    counting.take(value.documents);
    const double share = static_cast<double>(entry.weight) / static_cast<double>(std::max<uint64_t>(heat.hot_keys_total, 1));
    Members members(out);
    if (value.key) members.text("partitionKey", value.key->to_json());
    members.text("effectivePartitionKey", hex_upper(entry.key));
    members.number("share", share);
    members.number("requestUnitsPerSecond", share * units_per_second);
    if (!counting.is_wanted) continue;
    members.count("documents", value.documents);
    members.count("bytes", value.bytes);
    members.at("isWhole").boolean(value.documents < documents_max);
  }
  out.end_array();
}

void write_partition(StoredWriter& out, const Container& container, const PartitionPlace& place, bool with_history,
                     Counting& counting) {
  const PartitionClient& partition = *place.partition;
  const PartitionCounters counters = partition.counters();
  const Heat::Report heat = partition.heat();
  const HeatTally now = recent(heat);
  Members members(out);
  members.text("id", place.range_id);
  members.text("minInclusive", hex_upper(place.range().min));
  members.text("maxExclusive", hex_upper(place.range().max));
  members.count("documents", counters.documents);
  members.count("bytes", counters.stored_bytes());
  members.number("budget", partition.budget_rate());
  members.number("requestUnitsPerSecond", units(now.milli_units) / kRecentSeconds);
  members.number("throttledPerSecond", static_cast<double>(now.throttled) / kRecentSeconds);
  members.number("peakRequestUnitsPerSecond", units(now.peak_milli_units));
  members.count("latencyMedianUs", static_cast<uint64_t>(latency_quantile_us(heat.latencies, 0.5)));
  members.count("latency99Us", static_cast<uint64_t>(latency_quantile_us(heat.latencies, 0.99)));
  {
    Members total(members.at("total"));
    write_tally(total, heat.total);
  }
  write_hot_keys(members.at("hotKeys"), container, partition, heat, counting);
  if (!with_history) return;
  StoredWriter& latencies = members.at("latenciesByPowerOfTwoUs");
  latencies.begin_array();
  for (const uint64_t count : heat.latencies) latencies.integer(static_cast<int64_t>(count));
  latencies.end_array();
  write_tallies(members.at("seconds"), heat.seconds);
  write_tallies(members.at("minutes"), heat.minutes);
  write_tallies(members.at("hours"), heat.hours);
}

void write_container(StoredWriter& out, const Catalog& catalog, const Container& container, bool with_history,
                     Counting& counting) {
  const uint32_t database = container.database->number;
  const std::shared_ptr<const Offer> own = catalog.offers().of(database, container.number);
  const std::shared_ptr<const Offer> offer = own ? own : catalog.offers().of(database, 0);
  Members members(out);
  members.text("database", container.database->id);
  members.text("container", container.definition.id);
  members.count("throughput", offer ? static_cast<uint64_t>(offer->throughput.planned()) : 0);
  members.at("isAutoscale").boolean(offer && offer->throughput.autoscale_max);
  members.at("isShared").boolean(!own);
  if (container.definition.synthetic_key) members.count("undefinedKeyWrites", container.lineage->undefined_keys());
  StoredWriter& partitions = members.at("partitions");
  partitions.begin_array();
  for (const PartitionPlace& place : container.places) write_partition(partitions, container, place, with_history, counting);
  partitions.end_array();
}

void write_failures(StoredWriter& out, const Catalog& catalog) {
  out.begin_array();
  for (const BackgroundFailure& failure : catalog.failures()->all()) {
    Members members(out);
    members.text("work", failure.kind);
    if (!failure.subject.empty()) members.text("subject", failure.subject);
    members.text("message", failure.message);
    members.count("tries", failure.tries);
    members.number("sinceUnixSeconds", static_cast<double>(failure.since_ms) / 1000);
    members.number("nextTryUnixSeconds", static_cast<double>(failure.next_ms) / 1000);
  }
  out.end_array();
}

}  // namespace

void add_partition_gauges(observe::Metrics& metrics, const Catalog& catalog) {
  metrics.add_gauge("partita_background_failures", "Kinds of background work, by what it is about, whose last try has failed.",
                    [&catalog] { return static_cast<double>(catalog.failures()->size()); });
  using Read = std::function<double(const PartitionClient&)>;
  const auto add = [&](std::string name, std::string help, Read read) {
    metrics.add_gauges(std::move(name), std::move(help), [&catalog, read = std::move(read)] {
      observe::Metrics::Samples samples;
      catalog.for_each_container([&](const Container& container) {
        for (const PartitionPlace& place : container.places) {
          samples.push_back(
              {{{"database", container.database->id}, {"container", container.definition.id}, {"partition", place.range_id}},
               read(*place.partition)});
        }
      });
      return samples;
    });
  };
  add("partita_partition_documents", "Documents in a physical partition.",
      [](const PartitionClient& partition) { return static_cast<double>(partition.counters().documents); });
  add("partita_partition_bytes", "Bytes of documents in a physical partition.",
      [](const PartitionClient& partition) { return static_cast<double>(partition.stored_bytes()); });
  add("partita_partition_budget", "Request units per second that a physical partition may use; 0: without limit.",
      [](const PartitionClient& partition) { return partition.budget_rate(); });
  add("partita_partition_request_units", "Request units used since the start.",
      [](const PartitionClient& partition) { return units(partition.total_use().milli_units); });
  add("partita_partition_requests", "Requests answered since the start.",
      [](const PartitionClient& partition) { return static_cast<double>(partition.total_use().requests); });
  add("partita_partition_throttled", "Requests refused with 429 since the start.",
      [](const PartitionClient& partition) { return static_cast<double>(partition.total_use().throttled); });
}

void write_statistics(StoredWriter& out, const Catalog& catalog, StatisticsWanted wanted) {
  Members members(out);
  StoredWriter& list = members.at("containers");
  list.begin_array();
  Counting counting{.is_wanted = wanted.sizes};
  catalog.for_each_container(
      [&](const Container& container) { write_container(list, catalog, container, wanted.history, counting); });
  list.end_array();
  write_failures(members.at("backgroundFailures"), catalog);
}

namespace {

// Of those that have most work in a scheduler.
constexpr size_t kTenantsShown = 10;

struct TenantNames {
  std::string database;
  std::string container;
};

// Empty where the work is not a container's or a database's, or they are gone.
TenantNames names_of(const Tenant& tenant, const Catalog& catalog) {
  if (const auto container = catalog.container(static_cast<uint32_t>(tenant.database), static_cast<uint32_t>(tenant.container))) {
    return {container->database->id, container->definition.id};
  }
  const Catalog::Databases databases = catalog.databases();
  const auto database = std::ranges::find(databases, tenant.database, [](const auto& each) { return each->number; });
  if (database != databases.end()) return {(*database)->id, {}};
  return {};
}

}  // namespace

void add_scheduler_gauges(observe::Metrics& metrics, const std::vector<NamedScheduler>& schedulers, const Catalog& catalog) {
  using Read = std::function<double(const FairScheduler::Statistics&)>;
  const auto add = [&](const char* name, const char* help, const Read& read) {
    metrics.add_gauges(name, help, [schedulers, read] {
      observe::Metrics::Samples samples;
      for (const NamedScheduler& each : schedulers) {
        samples.emplace_back(observe::Metrics::Labels{{"workers", each.name}}, read(each.scheduler->statistics(0)));
      }
      return samples;
    });
  };
  using Now = const FairScheduler::Statistics&;
  add("partita_jobs_waiting", "Work that waits for a worker.", [](Now now) { return static_cast<double>(now.waiting); });
  add("partita_jobs_parked", "Work that has begun and gave way to others.",
      [](Now now) { return static_cast<double>(now.parked); });
  add("partita_jobs_aside", "Work that has begun and waits for something else than a worker.",
      [](Now now) { return static_cast<double>(now.aside); });
  add("partita_jobs_running", "Work that workers do.", [](Now now) { return static_cast<double>(now.running); });
  add("partita_jobs_begun", "Work that was begun.", [](Now now) { return static_cast<double>(now.begun); });
  add("partita_jobs_refused", "Work that was refused because too much waited.",
      [](Now now) { return static_cast<double>(now.refused); });
  add("partita_jobs_late", "Work that was dropped because it had waited too long.",
      [](Now now) { return static_cast<double>(now.late); });
  add("partita_jobs_abandoned", "Work that was dropped because its client had gone.",
      [](Now now) { return static_cast<double>(now.abandoned); });
  metrics.add_gauges(
      "partita_tenant_jobs", "Work of the containers that have the most, running or waiting.", [schedulers, &catalog] {
        observe::Metrics::Samples samples;
        for (const NamedScheduler& each : schedulers) {
          for (const FairQueue::TenantCounts& counts : each.scheduler->statistics(kTenantsShown).busiest) {
            const TenantNames names = names_of(counts.tenant, catalog);
            observe::Metrics::Labels labels{{"workers", each.name}, {"database", names.database}, {"container", names.container}};
            labels["state"] = "waiting";
            samples.emplace_back(labels, static_cast<double>(counts.waiting));
            labels["state"] = "running";
            samples.emplace_back(labels, static_cast<double>(counts.running));
          }
        }
        return samples;
      });
}

}  // namespace partita::server
